#include "linker/facts/insn.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace bpflink;

namespace {

std::array<std::byte, 8> bytes(std::array<int, 8> values) {
  std::array<std::byte, 8> out;
  for (size_t i = 0; i < 8; i++) out[i] = std::byte(values[i]);
  return out;
}

}  // namespace

TEST_CASE("an instruction reads the same from either byte order") {
  // r1 = *(u32 *)(r6 - 4), with an immediate that shows the byte order
  auto little = bytes({0x61, 0x61, 0xfc, 0xff, 0x78, 0x56, 0x34, 0x12});
  auto big = bytes({0x61, 0x16, 0xff, 0xfc, 0x12, 0x34, 0x56, 0x78});
  for (Insn insn :
       {load_insn(little.data(), std::endian::little), load_insn(big.data(), std::endian::big)}) {
    CHECK(insn.code == 0x61);
    CHECK(insn.dst_reg == 1);
    CHECK(insn.src_reg == 6);
    CHECK(insn.off == -4);
    CHECK(insn.imm == 0x12345678);
  }
}

TEST_CASE("the source register distinguishes calls") {
  auto helper = load_insn(bytes({0x85, 0x00, 0, 0, 1, 0, 0, 0}).data(), std::endian::little);
  auto local = load_insn(bytes({0x85, 0x10, 0, 0, 7, 0, 0, 0}).data(), std::endian::little);
  auto local_big = load_insn(bytes({0x85, 0x01, 0, 0, 0, 0, 0, 7}).data(), std::endian::big);
  CHECK(helper.is_call());
  CHECK_FALSE(helper.is_local_call());
  CHECK(local.is_local_call());
  CHECK(local_big.is_local_call());
  CHECK(local_big.imm == 7);
}

TEST_CASE("jumps, and instructions that end control flow") {
  auto insn = [](uint8_t code, uint8_t off, uint8_t imm) {
    return load_insn(bytes({code, 0, off, 0, imm, 0, 0, 0}).data(), std::endian::little);
  };
  Insn exit = insn(0x95, 0, 0), ja = insn(0x05, 3, 9), gotol = insn(0x06, 3, 9),
       jeq = insn(0x15, 3, 9), jeq32 = insn(0x16, 3, 9), call = insn(0x85, 0, 1),
       mov = insn(0xb7, 0, 1);
  CHECK(exit.ends_flow());
  CHECK_FALSE(exit.is_jump());
  CHECK(ja.ends_flow());
  CHECK(ja.jump_distance() == 3);
  CHECK(gotol.ends_flow());
  CHECK(gotol.jump_distance() == 9);
  CHECK(jeq.is_jump());
  CHECK_FALSE(jeq.ends_flow());
  CHECK(jeq32.jump_distance() == 3);
  CHECK_FALSE(call.is_jump());
  CHECK_FALSE(call.ends_flow());
  CHECK_FALSE(mov.is_jump());
}
