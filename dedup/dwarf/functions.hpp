// The functions of a unit: which of them an image's BTF may describe, and what is doubtful.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dedup/dwarf/abbreviations.hpp"
#include "dedup/dwarf/sections.hpp"

namespace bpflink {

/// How a machine's functions get their arguments.
struct DwarfCallingConvention {
  static constexpr uint8_t unknown_register = UINT8_MAX;
  uint8_t registers = 0;  ///< how many pass arguments; 0: nothing is known
  /// DWARF's numbers of these, in order; `unknown_register` where nobody checks.
  std::array<uint8_t, 8> numbers = {unknown_register, unknown_register, unknown_register,
                                    unknown_register, unknown_register, unknown_register,
                                    unknown_register, unknown_register};
  /// Whether a struct of up to two registers is passed in these.
  bool passes_structs_in_registers = true;
};

/// Kinds of types that older readers lack. Without one, what would have it is written as before
/// there was one.
struct DwarfKinds {
  bool floats = true, wide_enums = true, type_tags = true, declaration_tags = true;
  bool nested_arrays = true;  ///< of several dimensions; else one array of as many elements
};

/// What is wanted of a file.
struct DwarfWanted {
  DwarfKinds kinds{};
  /// Languages that nobody misses, by DWARF's numbers.
  std::span<const uint16_t> excluded_languages{};
  /// The functions and variables that are wanted, or null for all that are defined.
  const std::unordered_set<std::string_view>* functions = nullptr;
  const std::unordered_set<std::string_view>* variables = nullptr;
  DwarfCallingConvention convention{};
};

/// Where a parameter is when its function is entered.
struct DwarfParameterPlace {
  bool is_known = false;
  uint8_t register_number = DwarfCallingConvention::unknown_register;
};

/// Reads the place from the value of DW_AT_location. `is_large` if the type takes more than a
/// register.
DwarfParameterPlace read_parameter_place(const DwarfUnit& unit, DwarfValue location, bool is_large);

/// The address in the value of DW_AT_location of a variable, if it is at one.
struct DwarfAddress {
  bool is_known = false;
  uint64_t value = 0;
};
DwarfAddress read_variable_address(const DwarfUnit& unit, DwarfValue location);
/// The address in the value of DW_AT_low_pc; 0 if there is none.
uint64_t read_code_address(const DwarfUnit& unit, DwarfValue value);

}  // namespace bpflink
