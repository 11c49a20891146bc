// Which maps helpers get, as the instructions show it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "linker/facts/insn.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Calls `visit(at, helper, reg, relocation, is_certain)` for each call of a helper in bytes
/// [begin, end) of `code`, and for each argument's register that has the address which `relocation`
/// puts there: if `is_certain()`, which takes longer, on every way to the call.
template <typename Visit>
void for_each_relocated_argument(const InputSection& code, uint64_t begin, uint64_t end,
                                 Visit visit) {
  auto relocation = code.first_relocation(begin);
  if (relocation == code.relocations.end() || relocation->offset >= end) return;
  const std::endian order = code.file->byte_order;
  std::optional<std::vector<uint64_t>> targets;  // of jumps
  auto is_jumped_to = [&](uint64_t after, uint64_t until) {
    if (!targets) {
      targets.emplace();
      for_each_insn(code.data, begin, end, order, [&](uint64_t at, const Insn& insn) {
        if (insn.is_jump())
          targets->push_back(at + insn_size +
                             static_cast<uint64_t>(int64_t{insn.jump_distance()}) * insn_size);
      });
      std::ranges::sort(*targets);
    }
    auto next = std::ranges::upper_bound(*targets, after);
    return next != targets->end() && *next <= until;
  };
  constexpr uint8_t arguments = 5;
  std::array<const Relocation*, 16> held{};
  for_each_insn(code.data, begin, end, order, [&](uint64_t at, const Insn& insn) {
    while (relocation != code.relocations.end() && relocation->offset < at) ++relocation;
    bool is_relocated = relocation != code.relocations.end() && relocation->offset == at;
    if (insn.is_ld_imm64()) {
      held[insn.dst_reg] = is_relocated ? &*relocation : nullptr;
    } else if (insn.is_call() || insn.is_indirect_call()) {
      bool is_helper = insn.is_call() && insn.src_reg == 0 && !is_relocated;
      for (uint8_t reg = 1; reg <= arguments && is_helper; ++reg)
        if (const Relocation* from = held[reg])
          visit(at, static_cast<uint32_t>(insn.imm), reg, *from,
                [&] { return !is_jumped_to(from->offset, at); });
      std::fill_n(held.begin(), arguments + 1, nullptr);
    } else if (insn.code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn.off == 0) {
      held[insn.dst_reg] = held[insn.src_reg];
    } else if (insn.is_store()) {
      held[BPF_REG_0] = held[insn.src_reg] = nullptr;  // an atomic operation may load
    } else if (!insn.is_jump()) {
      held[insn.dst_reg] = nullptr;
    }
  });
}

}  // namespace bpflink
