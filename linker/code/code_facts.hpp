// What a walk through the code of an object may treat as known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bpflink/core.hpp"

namespace bpflink {

/// An instruction with a CO-RE record after the loader changed it.
struct BoundInsn {
  bool is_poisoned = false;
  /// The new immediate, or the offset of a load or store; nothing if unknown.
  std::optional<uint64_t> value = {};
};

/// What a walk through the code may treat as known. An empty function knows nothing.
struct CodeFacts {
  /// The instruction at byte `offset` of section `section`, or null if the loader leaves it alone.
  std::function<const BoundInsn*(uint32_t section, uint64_t offset)> core = {};
  CoreFacts known = {};  ///< facts about the kernel and user space
  /// The kernel whose verifier walks the code, by its version as in LINUX_KERNEL_VERSION: later
  /// verifiers compute more. 0 if unknown: the verifier of Linux 5.5.
  uint32_t verifier = 0;
  /// A limit on steps between code and the programs that lead to it, for all calls of
  /// Reachability::find() together.
  uint64_t max_steps = 50'000'000;
};

}  // namespace bpflink
