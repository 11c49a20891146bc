// The parts of the output, the input of each, and their references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dedup/graph.hpp"
#include "linker/context.hpp"

namespace bpflink {

/// A run of bytes of an output section with one name.
struct OutputPart {
  uint32_t section;       ///< index of the output's section
  uint64_t offset, size;  ///< bytes, in that section
  /// The object that it is from; null for what the linker made.
  const ObjectFile* file;
  std::string name;
  std::string_view kind;  ///< of its node

  uint64_t end() const { return offset + size; }
  bool is_function() const { return kind == "function" || kind == "program"; }
};

/// All parts by section and offset, without overlap. Bytes between them are padding. If symbols
/// share bytes, the first one has them, and the references of all.
struct OutputParts {
  std::vector<OutputPart> parts;
  /// References by relocations, and by calls without one. Nodes are indices in `parts`.
  Graph uses;

  /// `output` is the object of `context`, as it was read back.
  OutputParts(const Context& context, const ObjectFile& output);

  /// The part with the byte at an offset of a section, or no_node.
  uint32_t find(uint32_t section, uint64_t offset) const;

 private:
  template <typename Add>
  void visit_references(const ObjectFile& output, Add add) const;
};

}  // namespace bpflink
