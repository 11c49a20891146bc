// What is said of a type beside its declaration: "at byte 8", "B = 2", "16 bytes".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"
#include "bpflink/btf_query.hpp"

namespace bpflink {

/// What an array, of arrays perhaps, is made of; any other type but for its modifiers.
inline uint32_t skip_arrays(const BtfView& btf, uint32_t id) {
  for (id = skip_modifiers(btf, id); btf.kind(id) == BtfKind::Array;)
    id = skip_modifiers(btf, btf.type(id).array_element_type());
  return id;
}

/// "1 byte".
std::string bytes_note(uint32_t bytes);

/// Where a member is: "at byte 8", "at bit 3", "4 bits at bit 8"; `width` is 0 where it is no
/// bit-field.
std::string offset_note(uint64_t bit_offset, uint32_t width);

/// "B = 2".
std::string enumerator_note(std::string_view name, BtfType type, uint32_t i);

}  // namespace bpflink
