// What refers to what in the output: its functions and variables as a graph.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/internal.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

/// A function or variable of the output.
struct OutputEntity {
  const InputSymbol* symbol;
  const InputSection* section;

  uint64_t begin() const { return symbol->value; }
  bool is_function() const { return symbol->type == STT_FUNC; }
  bool is_map() const { return section->holds_maps(); }
  /// Whether libbpf loads it by itself.
  bool is_program() const {
    return is_function() && !symbol->is_local() && section->holds_programs();
  }
};

/// The nodes of `uses` are the indices in `entities`: through relocations, and through the calls
/// that need none. Of several at one place, aliases, the first has the edges of all.
struct OutputGraph {
  std::vector<OutputEntity> entities;  ///< by section, then by offset; functions before others
  Graph uses;

  explicit OutputGraph(const ObjectFile& output);
  /// The first entity at the place of one.
  uint32_t first_alias(uint32_t entity) const;
};

}  // namespace bpflink
