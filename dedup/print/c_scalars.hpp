// Scalar types of C, and enumerators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The size of a pointer: 4 if each `long` has 4 bytes, otherwise 8.
uint32_t pointer_size(const BtfView& btf);

/// The name in C of an INT or FLOAT that has the name and size of a type of C; otherwise "".
/// `long_size` is that of `long`, in bytes.
std::string_view c_scalar(std::string_view name, BtfType type, uint32_t long_size);

/// Whether an integer can have a size in C.
inline bool is_integer_size(uint32_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

/// Whether an enum can have a size in C.
inline bool is_enum_size(uint32_t size) {
  return is_integer_size(size) && size <= 8;
}

/// Whether an INT is printed as _Bool, or as a typedef of it.
bool is_c_bool(std::string_view name, BtfType type, uint32_t long_size);

/// C's integer type of a size for which is_integer_size() is true.
std::string_view c_integer(uint32_t size, bool is_signed);

/// The typedef for an INT or FLOAT that C does not have: an integer of its size, a floating type if
/// the compiler has one, otherwise a struct of bytes.
std::string scalar_typedef(std::string_view name, BtfType type, std::string_view identifier);

/// The alignment, in bytes, of the type that scalar_typedef() makes of a FLOAT.
uint32_t float_alignment(std::string_view name, uint32_t size);

/// The value of the i-th enumerator of an ENUM or ENUM64 as a decimal number.
std::string enumerator_value(BtfType type, uint32_t i);

/// The value as an expression of C, truncated to the size of the enum.
std::string c_enumerator_value(BtfType type, uint32_t i);

/// The attribute that gives an enum its size, or "" if its values do.
std::string_view enum_mode(BtfType type);

}  // namespace bpflink
