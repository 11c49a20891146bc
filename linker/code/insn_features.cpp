#include "linker/code/insn_features.hpp"

namespace bpflink {
namespace {

// Not in the headers of every system:
constexpr uint8_t mode_mem_sign_extended = 0x80, mode_atomic = 0xc0, op_jcond = 0xe0;
constexpr uint8_t stack_arguments = 11;
constexpr int32_t atomic_add = 0x00, load_acquire = 0x100, store_release = 0x110;

std::optional<KernelFeature> feature_of_arithmetic(const Insn& insn) {
  bool is_64 = BPF_CLASS(insn.code) == BPF_ALU64;
  switch (BPF_OP(insn.code)) {
    case BPF_DIV:
    case BPF_MOD:
      return insn.off == 1 ? std::optional(KernelFeature::V4) : std::nullopt;
    case BPF_MOV:
      if (BPF_SRC(insn.code) != BPF_X || insn.off == 0) return std::nullopt;
      // The 32-bit offset of a move is 8, 16 or 32; 1 casts to another address space.
      return is_64 && insn.off == 1 ? KernelFeature::AddressCast : KernelFeature::V4;
    case BPF_END:
      return is_64 ? std::optional(KernelFeature::V4Codes) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<KernelFeature> feature_of(const Insn& insn) {
  if (insn.is_indirect_jump()) return KernelFeature::IndirectJump;
  if (insn.dst_reg == stack_arguments || insn.src_reg == stack_arguments)
    return KernelFeature::StackArguments;
  switch (BPF_CLASS(insn.code)) {
    case BPF_ALU:
    case BPF_ALU64:
      return feature_of_arithmetic(insn);
    case BPF_LDX:
      return BPF_MODE(insn.code) == mode_mem_sign_extended ? std::optional(KernelFeature::V4Codes)
                                                           : std::nullopt;
    case BPF_STX:
      if (BPF_MODE(insn.code) != mode_atomic || insn.imm == atomic_add) return std::nullopt;
      return insn.imm == load_acquire || insn.imm == store_release ? KernelFeature::LoadAcquire
                                                                   : KernelFeature::Atomics;
    case BPF_JMP32:
      return BPF_OP(insn.code) == BPF_JA ? KernelFeature::LongJump : KernelFeature::Jump32;
    case BPF_JMP:
      return BPF_OP(insn.code) == op_jcond ? std::optional(KernelFeature::MayGoto) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace bpflink
