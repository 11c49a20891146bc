// Numbers as C spells them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The bytes of a pointer: 4 where `long` has 4, else 8.
uint32_t pointer_size(const BtfView& btf);

/// What C calls an INT or FLOAT that has the name and the size of one of C's own types; empty for
/// any other. `long_size` is that of `long`, in bytes.
std::string_view c_scalar(std::string_view name, BtfType type, uint32_t long_size);

/// How many bytes an integer of C, or what stands for one, can have.
inline bool is_integer_size(uint32_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

/// Whether an enum can have a size in C.
inline bool is_enum_size(uint32_t size) {
  return is_integer_size(size) && size <= 8;
}

/// Whether an INT is printed as _Bool, or as a typedef of it.
bool is_c_bool(std::string_view name, BtfType type, uint32_t long_size);

/// C's integer of a size that is_integer_size().
std::string_view c_integer(uint32_t size, bool is_signed);

/// The typedef of an INT or FLOAT that C has no name for: of an integer of the size, of a
/// floating type where the compiler has one, else of as many bytes.
std::string scalar_typedef(std::string_view name, BtfType type, std::string_view identifier);

/// The alignment, in bytes, of the bytes that scalar_typedef() makes of a FLOAT.
uint32_t float_alignment(std::string_view name, uint32_t size);

/// The value of the i-th enumerator of an ENUM or ENUM64, as a number of C with its sign.
std::string enumerator_value(BtfType type, uint32_t i);

/// The same as an expression of C, cut down to the size of the enum.
std::string c_enumerator_value(BtfType type, uint32_t i);

/// The attribute by which an enum gets the size that it has, where its values would give it
/// another.
std::string_view enum_mode(BtfType type);

}  // namespace bpflink
