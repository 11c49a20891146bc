// The CO-RE relocations of an object, and what a loader makes of their instructions.
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

/// The relocations in the order of .BTF.ext. Those of code that belongs to no function, which
/// libbpf's linker leaves of weak functions, are not among them, as no loader looks at them.
std::vector<CoreRecord> read_core_records(const ObjectFile& object);

/// What becomes of the instruction of a relocation, once it is known what becomes of that: its
/// `outcome` and `reason` change where the instruction cannot hold the value.
void bind_instruction(const ObjectFile& object, const CoreRecord& record, CoreResult& result);

}  // namespace bpflink
