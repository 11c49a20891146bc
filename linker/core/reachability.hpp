// Which instructions the kernel's verifier reaches.
//
// If a kernel lacks the target of a CO-RE relocation, the loader replaces its instruction with an
// invalid call. That harms a program only if the verifier gets there. Code behind
// bpf_core_field_exists() is *guarded*: the loader puts a constant into the test, and the verifier
// does not follow a branch whose condition it knows to be false.
//
// The analysis is conditional constant propagation. It walks the code as the verifier does, from
// the start of each program, with the constants that the loader puts in (walk.hpp), and skips
// branches that constants decide. It never calls code unreached that the verifier reaches, see
// abstract_state.hpp.
//
// Variables of .rodata are also constants to the verifier, but user space may set them before the
// load. A first walk finds the code that is reached whatever their values are; a second walk finds
// the code that is not reached with the values in the object. The code between the two rests on an
// assumption: the variables that decide the branches around it. A walk with these alone proves that
// they suffice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/core.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {

class CodeGraph;

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
};

/// A variable of .rodata, or `size` bytes of one, that must have a value.
struct Assumption {
  std::string variable;
  uint64_t offset = 0;  ///< bytes into the variable
  uint32_t size = 0;    ///< bytes
  uint64_t value = 0;
};

struct InsnReach {
  bool reached = false;
  /// The programs that reach it or, if it is not reached, that contain it, in the object's order.
  /// Empty for code that no program calls.
  std::vector<std::string_view> programs = {};
  /// If it is not reached: the assumptions that this rests on.
  std::vector<Assumption> assumes = {};
};

class Reachability {
 public:
  /// Takes time proportional to the code's size. `graph` must outlive the result.
  Reachability(const CodeGraph& graph, const CodeFacts& facts);
  ~Reachability();
  Reachability(Reachability&&) noexcept;
  Reachability& operator=(Reachability&&) noexcept;

  /// Whether the instruction at byte `offset` of section `section` is reached.
  InsnReach find(uint32_t section, uint64_t offset);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
