// The relocations of GNU as before 2.41, which bpf-gcc 12 uses.
#pragma once

#include <cstdint>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// The number of LLVM (llvm_reloc.rst) for a relocation type of this object,
/// which old GNU as numbers otherwise where it has one of its own (data of 32
/// and 64 bits); any other number unchanged.
uint32_t standard_relocation_type(uint32_t type);

/// Whether GNU as made the object, if gcc compiled it, before 2.41: then the bytes at a
/// relocation against a symbol that the object defines hold the symbol's value besides the addend,
/// in calls in bytes and not in instructions.
bool holds_symbol_values(const ObjectFile& object);

/// Makes the addends of such an object what they are in any other.
void normalize_gas_addends(ObjectFile& object);

}  // namespace bpflink
