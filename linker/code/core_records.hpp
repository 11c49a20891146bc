// The CO-RE relocations of an object, and the instructions that they change.
#pragma once

#include <cstdint>
#include <vector>

#include "bpflink/core.hpp"
#include "linker/object/object_file.hpp"

namespace bpflink {

/// A relocation of .BTF.ext.
struct CoreRecord {
  uint32_t section;  ///< index of the section of code
  uint32_t index;    ///< in that section's list in .BTF.ext
  uint64_t offset;   ///< bytes into the section
  CoreRelocation relocation;
  const InputSymbol* function;  ///< the function that contains the instruction
};

/// The relocations in the order of .BTF.ext. Like loaders, this skips relocations in code of no
/// function, which libbpf's linker leaves of losing weak functions.
std::vector<CoreRecord> read_core_records(const ObjectFile& object);

/// Whether the instruction of a relocation loads or stores.
bool is_at_memory_access(const ObjectFile& object, const CoreRecord& record);

/// Applies a relocation's `result` to its instruction. If the instruction cannot hold the value,
/// this changes `outcome` and `reason`.
void bind_instruction(const ObjectFile& object, const CoreRecord& record, CoreResult& result);

}  // namespace bpflink
