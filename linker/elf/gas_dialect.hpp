// The relocations of GNU as before 2.41, which bpf-gcc 12 uses.
#pragma once

#include <cstdint>

#include "linker/elf/object_file.hpp"

namespace bpflink {

/// LLVM's number (llvm_reloc.rst) for a relocation type of this object. Old GNU as has numbers of
/// its own for data of 32 and 64 bits; other numbers are returned unchanged.
uint32_t standard_relocation_type(uint32_t type);

/// For an object that gcc compiled: whether GNU as before 2.41 made it. Then the bytes at a
/// relocation against a defined symbol hold the symbol's value plus the addend; in calls, that sum
/// is in bytes, not instructions.
bool holds_symbol_values(const ObjectFile& object);

/// Changes the addends of such an object to LLVM's meaning.
void normalize_gas_addends(ObjectFile& object);

}  // namespace bpflink
