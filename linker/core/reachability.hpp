// Which instructions the kernel's verifier reaches.
//
// If a CO-RE relocation finds nothing in a kernel, the loader replaces its instruction with an
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
// load. A first walk finds what is reached whatever their values are; a second walk finds what is
// not reached with the values in the object. The code between the two rests on an assumption: the
// variables that decide the branches around it. A walk with these alone proves that they suffice.
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

/// What the loader makes of an instruction with a CO-RE record.
struct BoundInsn {
  bool is_poisoned = false;
  /// The new immediate, or the offset of a load or store; nothing where it is not known.
  std::optional<uint64_t> value = {};
};

/// What a walk through the code may take for known. An empty function knows nothing.
struct CodeFacts {
  /// The instruction at byte `offset` of section `section`, or null if the loader leaves it alone.
  std::function<const BoundInsn*(uint32_t section, uint64_t offset)> core = {};
  CoreFacts known = {};  ///< of the kernel and of user space
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
  /// The programs that reach it or, where it is not reached, that contain it. Empty for code that
  /// no program calls. By their order in the object.
  std::vector<std::string_view> programs = {};
  /// Where it is not reached: what that rests on.
  std::vector<Assumption> assumes = {};
};

class Reachability {
 public:
  /// Takes a time in proportion to the code's size. `graph` must outlive the result.
  Reachability(const CodeGraph& graph, const CodeFacts& facts);
  ~Reachability();
  Reachability(Reachability&&) noexcept;
  Reachability& operator=(Reachability&&) noexcept;

  /// Of the instruction at byte `offset` of section `section`.
  InsnReach find(uint32_t section, uint64_t offset);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bpflink
