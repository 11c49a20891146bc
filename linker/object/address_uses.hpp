// What code does through an address that an instruction puts into a register.
#pragma once

#include <array>
#include <optional>

#include "linker/object/object_file.hpp"

namespace bpflink {

/// Calls `visit(at, insn, offset)` for each load and store through an address, and what is computed
/// from it. The ld_imm64 at `at` puts the address `offset` bytes into a section into a register.
/// Offsets are bytes into that section, and nothing where the code does not show them. Stops at the
/// end of the function. Branches are not followed: what stands behind them counts as reached.
template <typename Visit>
void for_each_use_of_address(const InputSection& code, uint64_t at, int64_t offset, Visit visit) {
  struct Held {
    bool is_address = false;
    std::optional<int64_t> offset{};
  };
  constexpr uint64_t max_distance = 64 * insn_size;
  std::array<Held, 16> held{};
  held[load_insn(code.data.data() + at, code.file->byte_order).dst_reg] = {true, offset};
  bool has_ended = false;
  for_each_insn(
      code.data, at + 2 * insn_size, at + max_distance, code.file->byte_order,
      [&](uint64_t here, const Insn& insn) {
        has_ended |= insn.is_exit();
        if (has_ended) return;
        uint8_t kind = BPF_CLASS(insn.code);
        Held& to = held[insn.dst_reg];
        const Held from = held[insn.src_reg];
        bool is_register = BPF_SRC(insn.code) == BPF_X;
        bool is_store = kind == BPF_ST || kind == BPF_STX;
        if (const Held& used = is_store ? to : from;
            (is_store || kind == BPF_LDX) && used.is_address)
          visit(here, insn, used.offset);
        if (insn.is_call()) {
          std::fill_n(held.begin(), 6, Held{});
        } else if (kind == BPF_ALU64 && BPF_OP(insn.code) == BPF_MOV && is_register) {
          to = from;
        } else if (kind == BPF_ALU64 && BPF_OP(insn.code) == BPF_ADD) {
          if (is_register)
            to = {to.is_address || from.is_address, std::nullopt};
          else if (to.offset)
            *to.offset += insn.imm;
        } else if (kind == BPF_LDX || kind == BPF_LD || kind == BPF_ALU || kind == BPF_ALU64) {
          to = {};
        }
      });
}

}  // namespace bpflink
