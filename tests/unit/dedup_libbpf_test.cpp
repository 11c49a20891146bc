// Against libbpf on the same types: never more types than it leaves.
#include <doctest/doctest.h>

#include <cstdlib>

#include "bpflink/dedup.hpp"
#include "libbpf_peer.hpp"
#include "random_types.hpp"

using namespace bpflink::test;

namespace {

/// 0 for types that are refused.
uint32_t count_with_bpflink(const std::vector<std::byte>& blob) {
  auto btf = bpflink::Btf::parse(blob);
  if (!btf) return 0;
  bpflink::Deduplicator dedup;
  dedup.add("blob", *btf);
  auto result = dedup.run();
  if (result) return result->types.end_id() - 1;
  REQUIRE(result.error().message.ends_with("contains itself without a pointer in between"));
  return 0;
}

bool leaves_more_than_libbpf(const std::vector<RandomUnit>& units) {
  std::vector<std::byte> blob = encode(concatenate(units));
  uint32_t peer = count_with_libbpf(blob);
  return peer != 0 && count_with_bpflink(blob) > peer;
}

}  // namespace

TEST_CASE("libbpf never leaves fewer types") {
  const char* wanted = std::getenv("BPFLINK_SEEDS");
  uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 3000;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<RandomUnit> units = random_units(seed);
    if (!leaves_more_than_libbpf(units)) continue;
    units = shrink(units, leaves_more_than_libbpf);
    FAIL("seed ", seed, "\n", to_text(units));
  }
}

TEST_CASE("units for which libbpf once left fewer types") {
  // An enum that is declared, and which of its definitions makes most types
  // equal; a definition that is settled beside one of another shape; structs that
  // agree as much, of which one is referred to in the same way.
  for (uint64_t seed : {5289, 7597, 9385, 15208, 26882, 28723, 29496, 37965}) {
    CAPTURE(seed);
    std::vector<RandomUnit> units = random_units(seed);
    CHECK(count_with_bpflink(encode(concatenate(units))) != 0);
    CHECK_FALSE(leaves_more_than_libbpf(units));
  }
}
