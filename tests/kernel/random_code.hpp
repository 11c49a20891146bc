// Random programs of several functions that the verifier accepts. Their branches depend on
// constants that came through arithmetic, the stack, arguments and results of calls, .rodata, and
// values that a loader fills in.
#pragma once

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bpflink::test {

/// The value of an instruction's field.
struct Fixup {
  enum class Kind : uint8_t { None, Call, Callback, Rodata, Data, Core };
  Kind kind = Kind::None;
  uint32_t index = 0;  ///< a function, a section offset, or a kernel value
};

struct RandomInsn {
  bpf_insn insn;
  Fixup fixup;
};

enum class Linkage : uint8_t { Program, Static, Global, Callback };

struct RandomFunction {
  Linkage linkage;
  /// The first argument, or a callback's second, points to 16 bytes of the caller's stack.
  bool takes_stack = false;
  std::vector<RandomInsn> code = {};
};

using Bytes = std::vector<std::byte>;

struct RandomProgram {
  std::vector<RandomFunction> functions;  ///< the first is the program
  Bytes rodata, rodata_of_others;
};
constexpr uint32_t rodata_size = 64, data_size = 64;

/// The same program for the same seed.
RandomProgram make_random_program(uint64_t seed);

}  // namespace bpflink::test
