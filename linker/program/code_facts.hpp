// What a walk through the code of an object may treat as known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bpflink {

/// A variable of .rodata, which user space may set before the load, with its assumed value.
struct CoreAssumption {
  std::string variable;  ///< its name, with the offset of a part of it: "limits+8"
  uint64_t value;        ///< as an unsigned number of its size
  /// Compares both members.
  friend bool operator==(const CoreAssumption&, const CoreAssumption&) = default;
};

/// What is known of a kernel beside its types, and of user space.
struct CoreFacts {
  /// LINUX_KERNEL_VERSION, 0 if unknown.
  uint32_t version = 0;
  /// What a loader writes into a .kconfig variable such as "CONFIG_HZ"; nothing if unknown.
  std::function<std::optional<uint64_t>(std::string_view)> kconfig = {};
  /// Whether the kernel has an extern of .ksyms; nothing if unknown.
  std::function<std::optional<bool>(std::string_view)> has_ksym = {};
  /// Values of .rodata variables that user space sets before the load, by name.
  std::map<std::string, uint64_t> settings = {};
  /// Whether all other .rodata variables are unknown; otherwise they keep their initial values.
  bool strict = false;
};

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
