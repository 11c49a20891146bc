// What becomes of an object's relocations on a kernel.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "linker/core/core_object.hpp"
#include "linker/core/reachability.hpp"

namespace bpflink {

/// What becomes of instructions with relocations, by section and offset.
using BoundInsns = std::map<std::pair<uint32_t, uint64_t>, BoundInsn>;

/// The relocations of an object, bound to a kernel, and which of its code is reached there.
class ObjectCheck {
 public:
  /// The object must outlive this, and look_at_code() have been called.
  ObjectCheck(const CoreObject& object, const CoreKernel& kernel, const CoreFacts& facts);

  /// What becomes of each relocation, by `object.summary.records`.
  std::vector<RelocationVerdict> take_relocations() { return std::move(relocations_); }
  /// The programs that reach a call of that helper.
  std::vector<std::string> programs_calling(uint32_t helper);

 private:
  const CoreObject& object_;
  std::vector<RelocationVerdict> relocations_;
  BoundInsns insns_;
  Reachability reachability_;
};

/// The ids of the helpers that the code calls, ascending.
std::vector<uint32_t> helpers_called(const CodeGraph& graph);

/// Keeps what the relocations need.
void keep_needed(const CoreObject& object, CoreMinimizer& minimizer);

}  // namespace bpflink
