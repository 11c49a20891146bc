// Short texts about types in messages: "at byte 8", "B = 2", "16 bytes".
#pragma once

#include <cstdint>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The type tags of a pointer's target, such as "kptr" or "a, b". "" if there are none, or if it is
/// no pointer.
std::string pointer_tags(const BtfView& types, uint32_t pointer);

/// " (parameter 1)" for i = 0, in a path.
std::string parameter_label(uint32_t i);

/// "1 byte".
std::string bytes_note(uint64_t bytes);

/// The offset of a member: "at byte 8", "at bit 3", "4 bits at bit 8". `width` is that of a
/// bit-field, otherwise 0.
std::string offset_note(uint64_t bit_offset, uint32_t width);

/// "B = 2" for the i-th enumerator of an ENUM or ENUM64.
std::string enumerator_note(const BtfView& types, BtfType type, uint32_t i);

}  // namespace bpflink
