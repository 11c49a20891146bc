#include "linker/facts/opcodes.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace bpflink {
namespace {

using enum KernelFeature;

// Not in the headers of every system:
constexpr int32_t load_acquire = 0x100, store_release = 0x110;
constexpr uint8_t stack_arguments = 11;

// The lowest three bits of an opcode are its class. The other five are the mode and the size of a
// load or store, or an operation and whether its operand is a register. A class has a row, and an
// opcode a character: '+' if all kernels with BTF know it, '.' if none does, a letter for what a
// release brought. Verifiers have this table in bpf_opcode_in_insntable().
constexpr std::array<std::string_view, 8> opcodes = {
    "...++++.+++.....................",  // LD: ld_imm64, and loads from packets
    "............++++sss.............",  // LDX
    "............++++................",  // ST
    "............++++........aqqa....",  // STX
    "+++++++++++++++++.++++++++++....",  // ALU
    "+g+++++++++++++++c+.++++++++m...",  // JMP
    "w.jjjjjjjjjjjjjj....jjjjjjjj....",  // JMP32
    "+++++++++++++++++.++++++++s.....",  // ALU64
};

char knowledge_of(uint8_t code) {
  return opcodes[BPF_CLASS(code)][code >> 3];
}

/// Of arithmetic, releases brought more to old opcodes by the offset.
std::optional<KernelFeature> feature_of_arithmetic(const Insn& insn) {
  bool is_division = BPF_OP(insn.code) == BPF_DIV || BPF_OP(insn.code) == BPF_MOD;
  if (is_division && insn.off == 1) return V4;
  if (BPF_OP(insn.code) != BPF_MOV || BPF_SRC(insn.code) != BPF_X || insn.off == 0)
    return std::nullopt;
  // The offset of a move is 8, 16 or 32; 1 casts to another address space.
  return BPF_CLASS(insn.code) == BPF_ALU64 && insn.off == 1 ? AddressCast : V4;
}

std::optional<KernelFeature> feature_of_atomic(int32_t operation) {
  if (operation == BPF_ADD) return std::nullopt;
  return operation == load_acquire || operation == store_release ? LoadAcquire : Atomics;
}

}  // namespace

std::optional<KernelFeature> feature_of(const Insn& insn) {
  char knowledge = knowledge_of(insn.code);
  if (knowledge == 'c') return IndirectCall;
  if (knowledge == '.') return OtherInstruction;
  if (knowledge == 'g') return IndirectJump;
  if (insn.dst_reg == stack_arguments || insn.src_reg == stack_arguments) return StackArguments;
  switch (knowledge) {
    case 'a':
      return feature_of_atomic(insn.imm);
    case 'j':
      return Jump32;
    case 'm':
      return MayGoto;
    case 'q':
      return LoadAcquire;
    case 's':
      return V4Codes;
    case 'w':
      return LongJump;
    default:
      bool is_arithmetic = BPF_CLASS(insn.code) == BPF_ALU || BPF_CLASS(insn.code) == BPF_ALU64;
      return is_arithmetic ? feature_of_arithmetic(insn) : std::nullopt;
  }
}

bool is_in_no_kernel(const Insn& insn) {
  char knowledge = knowledge_of(insn.code);
  return knowledge == 'c' || knowledge == '.';
}

}  // namespace bpflink
