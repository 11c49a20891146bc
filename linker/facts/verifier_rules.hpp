// Rules of verifiers that bpflink warns about and bpfcore checks on a kernel.
#pragma once

#include <cstdint>
#include <string_view>

#include "linker/facts/insn.hpp"

namespace bpflink {

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
