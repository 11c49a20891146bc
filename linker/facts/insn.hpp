// The parts of BPF instructions that a linker needs. The encoding is that of the BPF instruction
// set specification (RFC 9669): 8 bytes with an opcode, two registers, a 16-bit offset and a 32-bit
// immediate; ld_imm64 takes two slots.
#pragma once

#include <linux/bpf.h>

#include <algorithm>
#include <span>

#include "linker/io/bytes.hpp"

namespace bpflink {

inline constexpr uint64_t insn_size = 8;

/// One decoded instruction slot.
struct Insn {
  uint8_t code;
  uint8_t dst_reg;
  uint8_t src_reg;
  int16_t off;
  int32_t imm;

  bool is_ld_imm64() const { return code == (BPF_LD | BPF_IMM | BPF_DW); }
  bool is_call() const { return code == (BPF_JMP | BPF_CALL); }
  /// A call of a function of this object, `imm` instructions after the next.
  bool is_local_call() const { return is_call() && src_reg == BPF_PSEUDO_CALL; }
  /// `callx`: a call of the function whose address is in a register. No kernel takes it.
  bool is_indirect_call() const { return code == (BPF_JMP | BPF_CALL | BPF_X); }
  bool is_exit() const { return code == (BPF_JMP | BPF_EXIT); }
  /// `gotox`: a jump to the address in a register.
  bool is_indirect_jump() const { return code == (BPF_JMP | BPF_JA | BPF_X); }
  /// A jump whose target is encoded in the instruction.
  bool is_jump() const {
    uint8_t insn_class = BPF_CLASS(code);
    return (insn_class == BPF_JMP || insn_class == BPF_JMP32) && !is_call() && !is_exit() &&
           !is_indirect_jump() && !is_indirect_call();
  }
  /// ld_imm64, or a move of an immediate: the instructions that compilers put a type id into.
  bool has_type_id_immediate() const {
    bool is_move = BPF_OP(code) == BPF_MOV && BPF_SRC(code) == BPF_K &&
                   (BPF_CLASS(code) == BPF_ALU || BPF_CLASS(code) == BPF_ALU64);
    return is_ld_imm64() || is_move;
  }
  bool is_store() const { return BPF_CLASS(code) == BPF_ST || BPF_CLASS(code) == BPF_STX; }
  /// A load or store through a register.
  bool is_access() const { return is_store() || BPF_CLASS(code) == BPF_LDX; }
  /// The bytes that a load or store accesses.
  uint32_t access_size() const {
    switch (BPF_SIZE(code)) {
      case BPF_B:
        return 1;
      case BPF_H:
        return 2;
      case BPF_W:
        return 4;
      default:
        return 8;
    }
  }
  /// Control never continues at the following instruction.
  bool ends_flow() const {
    return is_exit() || is_indirect_jump() || (is_jump() && BPF_OP(code) == BPF_JA);
  }
  /// Slots from the next instruction to a jump's target. `gotol` (JA of class JMP32) stores it in
  /// the immediate.
  int32_t jump_distance() const { return code == (BPF_JMP32 | BPF_JA) ? imm : off; }
};

/// Reads the slot at `from`. The byte order also determines the order of the register nibbles.
inline Insn load_insn(const std::byte* from, std::endian order) {
  uint8_t regs = std::to_integer<uint8_t>(from[1]);
  uint8_t low = regs & 0xf, high = regs >> 4;
  bool little = order == std::endian::little;
  return {std::to_integer<uint8_t>(from[0]), little ? low : high, little ? high : low,
          load<int16_t>(from + 2, order), load<int32_t>(from + 4, order)};
}

/// Whether `offset` is that of a whole instruction slot, and not of an ld_imm64's second slot:
/// only that has opcode 0.
inline bool is_instruction(std::span<const std::byte> code, uint64_t offset) {
  return offset % insn_size == 0 && offset < code.size() && code.size() - offset >= insn_size &&
         code[offset] != std::byte{0};
}

/// Calls `visit(at, insn)` for each instruction that begins in [begin, end) of `code`, all in
/// bytes. The second slot of an ld_imm64 is not an instruction.
template <typename Visit>
void for_each_insn(std::span<const std::byte> code, uint64_t begin, uint64_t end, std::endian order,
                   Visit visit) {
  end = std::min<uint64_t>(end, code.size());
  for (uint64_t at = begin; at + insn_size <= end; at += insn_size) {
    Insn insn = load_insn(code.data() + at, order);
    visit(at, insn);
    if (insn.is_ld_imm64()) at += insn_size;
  }
}

inline void store_imm(std::byte* insn, int32_t imm, std::endian order) {
  store<int32_t>(insn + 4, imm, order);
}

/// Stores a type id in the instruction, if it is one that holds type ids.
inline void store_type_id(std::byte* insn, uint32_t id, std::endian order) {
  if (load_insn(insn, order).has_type_id_immediate())
    store_imm(insn, static_cast<int32_t>(id), order);
}

}  // namespace bpflink
