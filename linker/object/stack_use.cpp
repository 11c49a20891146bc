#include "linker/object/stack_use.hpp"

#include <algorithm>

#include "linker/object/insn.hpp"

namespace bpflink {
namespace {

constexpr uint8_t frame_pointer = 10;
constexpr uint32_t caller_saved = 0x3f;  // r0 to r5

bool accesses_stack(const Insn& insn) {
  uint8_t insn_class = BPF_CLASS(insn.code);
  bool is_store = insn_class == BPF_STX || insn_class == BPF_ST;
  return (insn_class == BPF_LDX && insn.src_reg == frame_pointer) ||
         (is_store && insn.dst_reg == frame_pointer);
}

/// All but jumps and stores.
bool changes_register(const Insn& insn) {
  uint8_t insn_class = BPF_CLASS(insn.code);
  return insn_class == BPF_ALU || insn_class == BPF_ALU64 || insn_class == BPF_LDX ||
         insn_class == BPF_LD;
}

bool is_copy_of_frame_pointer(const Insn& insn) {
  return insn.code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn.src_reg == frame_pointer &&
         insn.off == 0;
}

bool is_add_of_constant(const Insn& insn) {
  return BPF_CLASS(insn.code) == BPF_ALU64 && BPF_OP(insn.code) == BPF_ADD &&
         BPF_SRC(insn.code) == BPF_K;
}

}  // namespace

uint64_t stack_use(std::span<const std::byte> code, std::endian order) {
  int64_t lowest = 0;
  uint32_t copies = 0;  // bit N: register N is what the frame pointer is
  for_each_insn(code, 0, code.size(), order, [&](uint64_t, const Insn& insn) {
    uint32_t changed = 1u << insn.dst_reg;
    if (accesses_stack(insn)) lowest = std::min<int64_t>(lowest, insn.off);
    if (is_add_of_constant(insn) && (copies & changed) != 0)
      lowest = std::min<int64_t>(lowest, insn.imm);
    if (insn.is_call())
      copies &= ~caller_saved;
    else if (is_copy_of_frame_pointer(insn))
      copies |= changed;
    else if (changes_register(insn))
      copies &= ~changed;
  });
  return static_cast<uint64_t>(-lowest);
}

}  // namespace bpflink
