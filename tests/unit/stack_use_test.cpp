#include <doctest/doctest.h>

#include <vector>

#include "linker/program/address_uses.hpp"

namespace bpflink {
namespace {

/// A little-endian instruction
struct Slot {
  uint8_t code, dst, src;
  int16_t off;
  int32_t imm;
};

uint64_t stack_of(const std::vector<Slot>& slots) {
  std::vector<std::byte> code(slots.size() * insn_size);
  for (size_t i = 0; i < slots.size(); ++i) {
    std::byte* at = code.data() + i * insn_size;
    at[0] = std::byte{slots[i].code};
    at[1] = std::byte(slots[i].src << 4 | slots[i].dst);
    store<int16_t>(at + 2, slots[i].off, std::endian::little);
    store<int32_t>(at + 4, slots[i].imm, std::endian::little);
  }
  return stack_use(code, std::endian::little);
}

constexpr uint8_t store_word = BPF_STX | BPF_MEM | BPF_W, load_word = BPF_LDX | BPF_MEM | BPF_W,
                  move = BPF_ALU64 | BPF_MOV | BPF_X, add = BPF_ALU64 | BPF_ADD | BPF_K,
                  call = BPF_JMP | BPF_CALL, wide = BPF_LD | BPF_IMM | BPF_DW;

}  // namespace

TEST_CASE("the stack reaches to the lowest byte that is stored or loaded") {
  CHECK(stack_of({}) == 0);
  CHECK(stack_of({{store_word, 10, 1, -8, 0}, {load_word, 1, 10, -12, 0}}) == 12);
  // Accesses through other registers do not count.
  CHECK(stack_of({{store_word, 6, 10, -8, 0}, {load_word, 1, 6, -12, 0}}) == 0);
}

TEST_CASE("the stack reaches to a pointer into it") {
  CHECK(stack_of({{move, 2, 10, 0, 0}, {move, 3, 7, 0, 0}, {add, 2, 0, 0, -40}}) == 40);
  CHECK(stack_of({{move, 2, 7, 0, 0}, {add, 2, 0, 0, -40}}) == 0);
  CHECK(stack_of({{move, 2, 10, 0, 0}, {load_word, 2, 7, 0, 0}, {add, 2, 0, 0, -40}}) == 0);
  // After a call, registers 0 to 5 hold nothing.
  CHECK(stack_of({{move, 2, 10, 0, 0}, {call, 0, 0, 0, 1}, {add, 2, 0, 0, -40}}) == 0);
  CHECK(stack_of({{move, 6, 10, 0, 0}, {call, 0, 0, 0, 1}, {add, 6, 0, 0, -16}}) == 16);
}

TEST_CASE("the second half of a wide instruction is not an instruction") {
  CHECK(stack_of({{wide, 1, 0, 0, 0}, {store_word, 10, 1, -8, 0}}) == 0);
}

}  // namespace bpflink
