// Types in C++: split BTF that has nothing, and rules of kernels
#include "bpflink/btf.hpp"

#include <doctest/doctest.h>

#include "../unit/units.hpp"
#include "bpflink/check.hpp"
#include "bpflink/dedup.hpp"

using namespace bpflink;
using namespace bpflink::test;

TEST_CASE("split BTF without strings, and with one type or none") {
  Unit unit;
  unit.integer("int");
  auto base_blob = finish(unit.b);
  Btf base = *Btf::parse(base_blob);
  for (uint32_t length : {12, 0}) {
    uint32_t words[] = {0x1eb9f, 24, 0, length, length, 0, 0, BtfBuilder::info(BtfKind::Ptr), 1};
    auto blob = std::as_bytes(std::span(words)).first(24 + length);
    auto split = Btf::parse(blob, &base);
    REQUIRE(split);
    CHECK(split->end_id() == (length != 0 ? 3 : 2));
    CHECK(check_btf(blob, BtfUse::Kernel, &base).faults.empty());
    Deduplicator dedup({.base = &base});
    dedup.add("split", *split);
    CHECK(dedup.run());
  }
}

TEST_CASE("a rule that has an end") {
  Unit unit;
  unit.integer("int");
  unit.b.add_type(unit.b.add_string("user"), unit.b.info(BtfKind::TypeTag), 1);
  unit.b.add_type(0, unit.b.info(BtfKind::Const), 2);
  BtfVerdict verdict = check_btf(finish(unit.b));
  REQUIRE(verdict.faults.size() == 1);
  CHECK(btf_rule_text(verdict.faults[0].rule).key == "tag-order");
  CHECK_FALSE(is_accepted(verdict, {5, 16}));  // no TYPE_TAG there
  CHECK(is_accepted(verdict, {5, 18}));
  CHECK_FALSE(is_accepted(verdict, {6, 12}));
  CHECK(is_accepted(verdict, {7, 2}));
}
