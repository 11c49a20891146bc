// A linked object, read back: its parts, and what a model gets from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dedup/merge/graph.hpp"
#include "linker/report/model.hpp"
#include "linker/state/context.hpp"

namespace bpflink {

/// A run of bytes of an output section with one name.
struct OutputPart {
  uint32_t section;       ///< index of the output's section
  uint64_t offset, size;  ///< bytes, in that section
  /// The object that it is from; null if the linker made it.
  const ObjectFile* file;
  std::string_view name;    ///< in an input, or of a section
  std::string_view kind;    ///< of its node
  uint32_t node = no_node;  ///< in the model; set by add_output()

  std::pair<uint32_t, uint64_t> place() const { return {section, offset}; }
  uint64_t end() const { return offset + size; }
  bool is_function() const { return kind == "function" || kind == "program"; }
};

/// All parts by section and offset, without overlap. Bytes between them are padding. If symbols
/// share bytes, the first one has them, and the references of all.
struct OutputParts {
  std::vector<OutputPart> parts;
  /// References by relocations, and by calls without one. Nodes are indices in `parts`.
  Graph uses;

  /// `output` is the object of `context`.
  OutputParts(const Context& context, const ObjectFile& output);

  /// The part with the byte at an offset of a section, or no_node.
  uint32_t find(uint32_t section, uint64_t offset) const;
};

/// Adds all bytes of the output to the model: code and data by symbol, tables by the subject of
/// their entries. The rest of a section, and of the file, is padding: the sum is the file's size.
/// Also adds what was dropped of the inputs' .BTF.
void add_output(const Context& context, const ObjectFile& output, OutputParts& parts,
                OutputModel& model);

/// Adds what programs cost, and which programs use the maps and variables.
void describe_programs(const ObjectFile& output, const OutputParts& parts, OutputModel& model);

}  // namespace bpflink
