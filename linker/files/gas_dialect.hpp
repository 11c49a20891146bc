// The relocations of GNU as before 2.41, which bpf-gcc 12 uses.
//
// That assembler adds the value of a defined symbol to the field of a relocation against it: the
// field of a call holds the addend in instructions, as LLVM's does, plus the value in bytes. Fields
// against section symbols and undefined symbols are LLVM's.
//
//   call third          third is at 0xf8     LLVM, GNU as 2.41 -1     before 0xf7
//   r1 = table + 4 ll   table is at 0x40     LLVM, GNU as 2.41 4      before 0x44
#pragma once

#include <cstdint>
#include <expected>

#include "linker/files/object_file.hpp"

namespace bpflink {

/// Which of two sets of numbers an object's relocation types for data are from.
struct DataTypes {
  bool has_old = false, has_standard = false;

  /// Notes a relocation's type, and returns LLVM's number for it (llvm_reloc.rst).
  uint32_t standardize(uint32_t type);
};

/// Whether the fields of the object's relocations include the symbols' values. The types of the
/// relocations tell, marks of other assemblers, or the fields themselves: only one reading may lead
/// to the beginning of a function, or into the variable. Where both do, the version of gcc tells.
/// Errors: it is unknown.
std::expected<bool, Error> fields_include_values(const ObjectFile& object, const ElfFile& elf,
                                                 const DataTypes& types);

/// Subtracts the symbols' values from the addends of such an object.
void subtract_symbol_values(ObjectFile& object);

}  // namespace bpflink
