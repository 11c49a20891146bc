// Compares with libbpf on the same types. Without ambiguous tags, libbpf never leaves fewer types.
// With ambiguous tags it guesses how declarations resolve, and the oracle decides.
#include <doctest/doctest.h>

#include <cstdlib>

#include "bpflink/dedup.hpp"
#include "libbpf_peer.hpp"
#include "meaning.hpp"
#include "random_types.hpp"

using namespace bpflink::test;

namespace {

/// 0 for types that the library refuses.
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

/// Enums without name and enumerators are not C, and libbpf merges them all.
bool has_void_enums(const RandomInputs& inputs) {
  for (const RandomUnit& unit : inputs.inputs)
    for (const RandomType& t : unit) {
      bool is_enum = t.kind == bpflink::BtfKind::Enum || t.kind == bpflink::BtfKind::Enum64;
      if (is_enum && t.name.empty() && t.elements.empty()) return true;
    }
  return false;
}

bool has_wrong_count(const RandomInputs& inputs) {
  std::vector<std::byte> blob = encode(concatenate(inputs.inputs));
  uint32_t count = count_with_bpflink(blob);
  if (count == 0) return false;
  Names names;
  Meaning meaning = find_meaning({{decode(blob, nullptr, names), {}}}, nullptr);
  if (meaning.has_ambiguous_tags) return count != meaning.end_id() - 1;
  if (has_void_enums(inputs)) return false;
  uint32_t peer = count_with_libbpf(blob);
  return peer != 0 && count > peer;
}

}  // namespace

TEST_CASE("libbpf never leaves fewer types where no tag is ambiguous") {
  const char* wanted = std::getenv("BPFLINK_SEEDS");
  uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 3000;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    RandomInputs inputs{{}, random_units(seed)};
    if (!has_wrong_count(inputs)) continue;
    inputs = shrink(inputs, has_wrong_count);
    FAIL("seed ", seed, "\n", to_text(inputs));
  }
}
