// Rules of verifiers that bpflink warns of and bpfcore checks on a kernel.
#pragma once

#include <cstdint>
#include <string_view>

#include "bpflink/check.hpp"
#include "linker/object/insn.hpp"

namespace bpflink {

/// The releases whose verifiers check each global function on its own, with pointers as arguments,
/// and with a result of type void.
inline constexpr LinuxRelease global_functions{5, 6}, pointer_arguments{5, 12}, void_results{7, 1};

/// The first release with variables of which each CPU has its own.
inline constexpr LinuxRelease per_cpu_data{7, 3};

/// How many parameters a function must have for what an instruction loads: arguments beyond the
/// fifth are above r11. 0 if it loads none.
inline uint32_t loaded_parameter(const Insn& insn) {
  constexpr uint8_t argument_pointer = 11;
  constexpr uint32_t in_registers = 5;
  bool is_load = BPF_CLASS(insn.code) == BPF_LDX && insn.src_reg == argument_pointer;
  return is_load && insn.off > 0 ? in_registers + (static_cast<uint32_t>(insn.off) + 7) / 8 : 0;
}

/// What to do about a function that loads more arguments than its type has.
inline constexpr std::string_view excess_advice =
    "let its callers and its definition agree, or compile with less optimization";

}  // namespace bpflink
