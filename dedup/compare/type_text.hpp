// Text about a type besides its declaration: "at byte 8", "B = 2", "16 bytes".
#pragma once

#include <cstdint>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// What an array, of arrays perhaps, is made of; any other type but for its modifiers.
uint32_t skip_arrays(const BtfView& types, uint32_t id);

/// The type tags of what a pointer points to, as "kptr" or "a, b"; "" for none, and of other types.
std::string type_tags(const BtfView& types, uint32_t pointer);

/// " (parameter 1)": the i-th one, in a path.
std::string parameter_label(uint32_t i);

/// "1 byte".
std::string bytes_note(uint64_t bytes);

/// Where a member is: "at byte 8", "at bit 3", "4 bits at bit 8"; `width` is 0 where it is no
/// bit-field.
std::string offset_note(uint64_t bit_offset, uint32_t width);

/// "B = 2": the i-th enumerator of an ENUM or ENUM64.
std::string enumerator_note(const BtfView& types, BtfType type, uint32_t i);

}  // namespace bpflink
