// Which maps helpers get, as the instructions show it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "linker/object/insn.hpp"
#include "linker/object/object_file.hpp"

namespace bpflink {

/// Calls `visit(at, helper, relocation)` for each call of a helper in bytes [begin, end) of `code`,
/// and for each of its arguments that is the address which `relocation` puts into the register: on
/// every way to the call. `visit` also gets the argument's register.
template <typename Visit>
void for_each_relocated_argument(const InputSection& code, uint64_t begin, uint64_t end,
                                 Visit visit) {
  auto relocation = code.first_relocation(begin);
  if (relocation == code.relocations.end() || relocation->offset >= end) return;
  const std::endian order = code.file->byte_order;
  std::vector<uint64_t> targets;
  for_each_insn(code.data, begin, end, order, [&](uint64_t at, const Insn& insn) {
    if (insn.is_jump())
      targets.push_back(at + insn_size +
                        static_cast<uint64_t>(int64_t{insn.jump_distance()}) * insn_size);
  });
  std::ranges::sort(targets);
  constexpr uint8_t arguments = 5;
  std::array<const Relocation*, 16> held{};
  for_each_insn(code.data, begin, end, order, [&](uint64_t at, const Insn& insn) {
    if (std::ranges::binary_search(targets, at)) held.fill(nullptr);
    while (relocation != code.relocations.end() && relocation->offset < at) ++relocation;
    bool is_relocated = relocation != code.relocations.end() && relocation->offset == at;
    if (insn.is_ld_imm64()) {
      held[insn.dst_reg] = is_relocated ? &*relocation : nullptr;
    } else if (insn.is_call() || insn.is_indirect_call()) {
      bool is_helper = insn.is_call() && insn.src_reg == 0 && !is_relocated;
      for (uint8_t reg = 1; reg <= arguments && is_helper; ++reg)
        if (held[reg]) visit(at, static_cast<uint32_t>(insn.imm), reg, *held[reg]);
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
