// What a walk through the code of an object may treat as known.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "bpflink/core.hpp"

namespace bpflink {

/// An instruction with a CO-RE record after the loader changed it.
struct BoundInsn {
  bool is_poisoned = false;
  uint64_t value = 0;  ///< the new immediate, or the offset of a load or store
};
/// By section and offset in bytes.
using BoundInsns = std::map<std::pair<uint32_t, uint64_t>, BoundInsn>;

/// What a walk through the code may treat as known.
struct CodeFacts {
  const BoundInsns* bound = nullptr;  ///< the instructions that the loader changed; null: none
  CoreFacts known = {};               ///< facts about the kernel and user space
  /// The kernel whose verifier walks the code, by its version as in LINUX_KERNEL_VERSION: later
  /// verifiers compute more. 0 if unknown: the verifier of Linux 5.5.
  uint32_t verifier = 0;
  /// A limit on steps between code and the programs that lead to it, for all calls of
  /// Reachability::find() together.
  uint64_t max_steps = 50'000'000;
};

}  // namespace bpflink
