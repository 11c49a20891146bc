#include "linker/files/relocation.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace bpflink;

namespace {

/// An addend, and the field that holds it.
struct Row {
  uint32_t type;
  int64_t addend;
  size_t at, size;  ///< of the number in the field
  int64_t number;
};
constexpr Row rows[] = {
    {R_BPF_64_64, 0x1234, 4, 4, 0x1234},  // the immediate of the first slot
    {R_BPF_64_64, -4, 4, 4, -4},
    {R_BPF_64_32, 0, 4, 4, -1},  // (imm + 1) * 8
    {R_BPF_64_32, 24, 4, 4, 2},
    {R_BPF_64_ABS64, 0x123456789abcdef0, 0, 8, 0x123456789abcdef0},
    {R_BPF_64_ABS32, 0x7fffffff, 0, 4, 0x7fffffff},
    {R_BPF_64_NODYLD32, 0x7fffffff, 0, 4, 0x7fffffff},
};
/// Addends that a field cannot hold
constexpr std::pair<uint32_t, int64_t> refused[] = {{R_BPF_64_64, int64_t{1} << 32},
                                                    {R_BPF_64_32, 4},
                                                    {R_BPF_64_ABS32, int64_t{UINT32_MAX} + 1},
                                                    {R_BPF_64_NODYLD32, int64_t{UINT32_MAX} + 1}};

/// The bytes of a relocated field: 16, so that an ld_imm64 fits.
using Field = std::array<std::byte, 16>;

}  // namespace

TEST_CASE("an addend is stored in its field alone, and read from there") {
  for (std::endian order : {std::endian::little, std::endian::big}) {
    for (const Row& row : rows) {
      CAPTURE(row.type);
      Field field{}, expected{};
      REQUIRE(store_addend(row.type, field.data(), row.addend, order));
      CHECK(load_addend(row.type, field.data(), order) == row.addend);
      if (row.size == 8)
        store<int64_t>(&expected[row.at], row.number, order);
      else
        store<int32_t>(&expected[row.at], static_cast<int32_t>(row.number), order);
      CHECK(field == expected);
    }
    Field field{};
    for (auto [type, addend] : refused)
      CHECK_FALSE(store_addend(type, field.data(), addend, order));
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
