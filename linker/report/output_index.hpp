// What stands where in the output, and which input it is from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// A run of bytes of an output section with one name.
struct PlacedPart {
  uint64_t offset, size;  ///< bytes, in the output section
  /// Where it is from; null for what the linker made.
  const InputSection* section;
  uint64_t input_offset;
  std::string name;
  std::string_view kind;  ///< as of a SizePart

  uint64_t end() const { return offset + size; }
};

class OutputIndex {
 public:
  explicit OutputIndex(const Context& context);

  /// The parts of a section, ascending and without overlap; what no part covers is padding.
  const std::vector<PlacedPart>& parts_of(const OutputSection& section) const {
    return parts_[section.index];
  }
  /// The part at an offset, or null.
  const PlacedPart* find(const OutputSection& section, uint64_t offset) const;

 private:
  std::vector<std::vector<PlacedPart>> parts_;  ///< by section index
};

}  // namespace bpflink
