#include "linker/code/insn_features.hpp"

#include <array>
#include <utility>

namespace bpflink {
namespace {

constexpr std::string_view without_v4 = "compile with -mcpu=v3";

constexpr std::array texts = {
    InsnFeatureText{"jumps of 32 bits", {5, 1}, "compile with -mcpu=v2", {5, 1}},
    InsnFeatureText{
        "atomic operations other than addition", {5, 12}, "compile with -mcpu=v2", {5, 12}},
    InsnFeatureText{"instructions of -mcpu=v4", {6, 6}, without_v4},
    InsnFeatureText{"instructions of -mcpu=v4", {6, 6}, without_v4, {6, 6}},
    InsnFeatureText{"gotol", {6, 6}, without_v4, {6, 6}, {6, 1}},  // in 6.1.192, not in 6.1.1
    InsnFeatureText{"may_goto", {6, 9}, "bound the loop", {6, 9}},
    InsnFeatureText{"addr_space_cast", {6, 9}, ""},
    InsnFeatureText{"load-acquire and store-release", {6, 15}, without_v4, {5, 12}},
    InsnFeatureText{"gotox", {6, 19}, "compile with -fno-jump-tables", {6, 19}},
    InsnFeatureText{"arguments on the stack", {7, 2}, "pass at most five"},
};

// Not in the headers of every system:
constexpr uint8_t mode_mem_sign_extended = 0x80, mode_atomic = 0xc0, op_jcond = 0xe0;
constexpr uint8_t stack_arguments = 11;
constexpr int32_t atomic_add = 0x00, load_acquire = 0x100, store_release = 0x110;

std::optional<InsnFeature> feature_of_arithmetic(const Insn& insn) {
  bool is_64 = BPF_CLASS(insn.code) == BPF_ALU64;
  switch (BPF_OP(insn.code)) {
    case BPF_DIV:
    case BPF_MOD:
      return insn.off == 1 ? std::optional(InsnFeature::V4) : std::nullopt;
    case BPF_MOV:
      if (BPF_SRC(insn.code) != BPF_X || insn.off == 0) return std::nullopt;
      // The 32-bit offset of a move is 8, 16 or 32; 1 casts to another address space.
      return is_64 && insn.off == 1 ? InsnFeature::AddressCast : InsnFeature::V4;
    case BPF_END:
      return is_64 ? std::optional(InsnFeature::V4Codes) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

const InsnFeatureText& text_of(InsnFeature feature) {
  return texts[static_cast<size_t>(feature)];
}

std::optional<InsnFeature> feature_of(const Insn& insn) {
  if (insn.is_indirect_jump()) return InsnFeature::IndirectJump;
  if (insn.dst_reg == stack_arguments || insn.src_reg == stack_arguments)
    return InsnFeature::StackArguments;
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
      return feature_of_arithmetic(insn);
    case BPF_LDX:
      return BPF_MODE(insn.code) == mode_mem_sign_extended ? std::optional(InsnFeature::V4Codes)
                                                           : std::nullopt;
    case BPF_STX:
      if (BPF_MODE(insn.code) != mode_atomic || insn.imm == atomic_add) return std::nullopt;
      return insn.imm == load_acquire || insn.imm == store_release ? InsnFeature::LoadAcquire
                                                                   : InsnFeature::Atomics;
    case BPF_JMP32:
      return BPF_OP(insn.code) == BPF_JA ? InsnFeature::LongJump : InsnFeature::Jump32;
    case BPF_JMP:
      return BPF_OP(insn.code) == op_jcond ? std::optional(InsnFeature::MayGoto) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace bpflink
