#include "linker/object/relocation.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace bpflink;

namespace {

constexpr std::endian ORDERS[] = {std::endian::little, std::endian::big};

/// The bytes of a relocated field: 16, so that an ld_imm64 fits.
using Field = std::array<std::byte, 16>;

}  // namespace

TEST_CASE("R_BPF_64_64: the addend is the immediate of the first slot") {
  for (std::endian order : ORDERS) {
    Field field{};
    REQUIRE(store_addend(R_BPF_64_64, field.data(), 0x1234, order));
    CHECK(load<int32_t>(field.data() + 4, order) == 0x1234);
    CHECK(load_addend(R_BPF_64_64, field.data(), order) == 0x1234);
    CHECK(load<int32_t>(field.data() + 12, order) == 0);
    REQUIRE(store_addend(R_BPF_64_64, field.data(), -4, order));
    CHECK(load_addend(R_BPF_64_64, field.data(), order) == -4);
    CHECK_FALSE(store_addend(R_BPF_64_64, field.data(), int64_t{1} << 32, order));
  }
}

TEST_CASE("R_BPF_64_32: the addend is (imm + 1) * 8") {
  for (std::endian order : ORDERS) {
    Field field{};
    store_imm(field.data(), -1, order);
    CHECK(load_addend(R_BPF_64_32, field.data(), order) == 0);
    store_imm(field.data(), 2, order);
    CHECK(load_addend(R_BPF_64_32, field.data(), order) == 24);
    REQUIRE(store_addend(R_BPF_64_32, field.data(), 0, order));
    CHECK(load<int32_t>(field.data() + 4, order) == -1);
    REQUIRE(store_addend(R_BPF_64_32, field.data(), 0x18, order));
    CHECK(load<int32_t>(field.data() + 4, order) == 2);
    CHECK_FALSE(store_addend(R_BPF_64_32, field.data(), 4, order));
  }
}

TEST_CASE("R_BPF_64_ABS64: 64 bits of data") {
  for (std::endian order : ORDERS) {
    Field field{};
    REQUIRE(store_addend(R_BPF_64_ABS64, field.data(), 0x123456789abcdef0, order));
    CHECK(load<int64_t>(field.data(), order) == 0x123456789abcdef0);
    CHECK(load_addend(R_BPF_64_ABS64, field.data(), order) == 0x123456789abcdef0);
    CHECK(field[8] == std::byte{0});
  }
}

TEST_CASE("R_BPF_64_ABS32 and R_BPF_64_NODYLD32: 32 bits of data") {
  for (std::endian order : ORDERS)
    for (uint32_t type : {R_BPF_64_ABS32, R_BPF_64_NODYLD32}) {
      Field field{};
      REQUIRE(store_addend(type, field.data(), 0x7fffffff, order));
      CHECK(load<int32_t>(field.data(), order) == 0x7fffffff);
      CHECK(load_addend(type, field.data(), order) == 0x7fffffff);
      CHECK(field[4] == std::byte{0});
      CHECK_FALSE(store_addend(type, field.data(), int64_t{UINT32_MAX} + 1, order));
    }
}

TEST_CASE("each relocation reads and writes its extent") {
  CHECK(relocation_extent(R_BPF_64_64) == 16);
  CHECK(relocation_extent(R_BPF_64_32) == 8);
  CHECK(relocation_extent(R_BPF_64_ABS64) == 8);
  CHECK(relocation_extent(R_BPF_64_ABS32) == 4);
  CHECK(relocation_extent(R_BPF_64_NODYLD32) == 4);
  CHECK_FALSE(relocation_extent(77).has_value());
}
