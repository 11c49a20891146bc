// What is said of a type beside its declaration: "at byte 8", "B = 2", "16 bytes".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"
#include "bpflink/btf_query.hpp"

namespace bpflink {

/// What an array, of arrays perhaps, is made of; any other type but for its modifiers.
inline uint32_t skip_arrays(const Btf& btf, uint32_t id) {
  for (id = skip_modifiers(btf, id); id != 0 && btf.type(id).kind() == BtfKind::Array;)
    id = skip_modifiers(btf, btf.type(id).array_element_type());
  return id;
}

/// "1 byte".
std::string bytes_note(uint32_t bytes);

/// Where a member is: "at byte 8", "at bit 3", "4 bits at bit 8"; `width` is 0 where it is no
/// bit-field.
std::string offset_note(uint64_t bit_offset, uint32_t width);

/// The i-th enumerator of an ENUM or ENUM64.
struct Enumerator {
  uint32_t name_off;
  uint64_t value;  ///< as the type has it: an ENUM's in the lower 32 bits
  bool operator==(const Enumerator&) const = default;
};
Enumerator enumerator_of(BtfType type, uint32_t i);

/// "B = 2".
std::string enumerator_note(std::string_view name, BtfType type, uint32_t i);

}  // namespace bpflink
