// A set of instructions of the output.
#pragma once

#include <vector>

#include "linker/state/context.hpp"

namespace bpflink {

class InsnSet {
 public:
  explicit InsnSet(const Context& context) : sections_(context.sections.size() + 1) {}

  void add(OutputPlace place) {
    std::vector<bool>& insns = sections_[place.section->index];
    if (insns.empty()) insns.resize(place.section->size / insn_size + 1);
    insns[place.offset / insn_size] = true;
  }
  bool contains(OutputPlace place) const {
    const std::vector<bool>& insns = sections_[place.section->index];
    return !insns.empty() && insns[place.offset / insn_size];
  }

 private:
  std::vector<std::vector<bool>> sections_;  ///< by index
};

}  // namespace bpflink
