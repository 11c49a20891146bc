// The CO-RE relocations of an object, and the instructions that they change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bpflink/core.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// A relocation, as .BTF.ext has it.
struct CoreRecord {
  uint32_t section;  ///< index of the section of code
  uint32_t index;    ///< among the relocations of that section, as .BTF.ext lists them
  uint64_t offset;   ///< bytes into the section
  CoreRelocation relocation;
  const InputSymbol* function;  ///< that the instruction belongs to
};

/// The relocations in the order of .BTF.ext. Loaders skip relocations of code that belongs to no
/// function, which libbpf's linker leaves behind of weak functions, and so does this.
std::vector<CoreRecord> read_core_records(const ObjectFile& object);

/// What becomes of the instruction of a relocation, once it is known what becomes of that: its
/// `outcome` and `reason` change where the instruction cannot hold the value.
void bind_instruction(const ObjectFile& object, const CoreRecord& record, CoreResult& result);

}  // namespace bpflink
