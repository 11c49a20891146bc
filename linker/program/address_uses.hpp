// Uses of an address in the code behind the instruction that puts it into a register, and of the
// stack. Branches are not followed: what stands behind them counts as reached.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "linker/facts/insn.hpp"
#include "linker/files/object_file.hpp"

namespace bpflink {

/// Follows an address, and what is computed from it, through registers.
class AddressTracker {
 public:
  /// `offset` is that of the address in what it points into.
  AddressTracker(uint8_t reg, int64_t offset) { held_[reg] = {true, offset}; }

  /// An address, and where it points to if the code shows that.
  struct Held {
    bool is_address = false;
    std::optional<int64_t> offset{};
  };

  /// Follows an instruction. Returns the address that it loads or stores through, or to which it
  /// adds a constant.
  Held step(const Insn& insn) {
    uint8_t kind = BPF_CLASS(insn.code);
    Held& to = held_[insn.dst_reg];
    const Held from = held_[insn.src_reg];
    bool is_register = BPF_SRC(insn.code) == BPF_X;
    if (insn.is_store()) return to;
    if (insn.is_call()) {
      std::fill_n(held_.begin(), 6, Held{});
    } else if (kind == BPF_ALU64 && BPF_OP(insn.code) == BPF_MOV && is_register) {
      to = from;
    } else if (kind == BPF_ALU64 && BPF_OP(insn.code) == BPF_ADD) {
      if (is_register) {
        to = {to.is_address || from.is_address, std::nullopt};
      } else if (to.is_address) {
        if (to.offset) *to.offset += insn.imm;
        return to;
      }
    } else if (kind == BPF_LDX || kind == BPF_LD || kind == BPF_ALU || kind == BPF_ALU64) {
      to = {};
    }
    return kind == BPF_LDX ? from : Held{};
  }

 private:
  std::array<Held, 16> held_{};
};

/// Calls `visit(at, insn, offset)` for each load and store through an address. The ld_imm64 at `at`
/// puts the address `offset` bytes into a section into a register. Offsets are bytes into that
/// section, and nothing where the code does not show them. Stops at the end of the function.
template <typename Visit>
void for_each_use_of_address(const InputSection& code, uint64_t at, int64_t offset, Visit visit) {
  constexpr uint64_t max_distance = 64 * insn_size;
  const std::endian order = code.file->byte_order;
  AddressTracker tracker(load_insn(code.data.data() + at, order).dst_reg, offset);
  bool has_ended = false;
  for_each_insn(code.data, at + 2 * insn_size, at + max_distance, order,
                [&](uint64_t here, const Insn& insn) {
                  has_ended |= insn.is_exit();
                  if (has_ended) return;
                  auto used = tracker.step(insn);
                  if (used.is_address && insn.is_access()) visit(here, insn, used.offset);
                });
}

/// Bytes below the frame pointer, r10: the furthest that an instruction reads, writes, or makes a
/// pointer to.
inline uint64_t stack_use(std::span<const std::byte> code, std::endian order) {
  constexpr uint8_t frame_pointer = 10;
  int64_t lowest = 0;
  AddressTracker tracker(frame_pointer, 0);
  for_each_insn(code, 0, code.size(), order, [&](uint64_t, const Insn& insn) {
    auto used = tracker.step(insn);
    if (used.offset) lowest = std::min(lowest, *used.offset + (insn.is_access() ? insn.off : 0));
  });
  return static_cast<uint64_t>(-lowest);
}

}  // namespace bpflink
