// The comparison of two types, by policy
#include "dedup/compare/compare.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

struct Types : Unit {
  uint32_t int_id = integer("int");
  uint32_t long_id = integer("long", 8);
  uint32_t unsigned_id = integer("unsigned int", 4, false);

  uint32_t array(uint32_t of, uint32_t length) { return Unit::array(of, int_id, length); }
  uint32_t record(std::string_view name, uint32_t size, const std::vector<Member>& members) {
    uint32_t id = Unit::record(name, members);
    b.mutable_words(id)[2] = size;
    return id;
  }

  /// "PATH: NOTE | NOTE", or "" if they agree.
  std::string compare(ComparePolicy policy, uint32_t a, uint32_t b) const {
    TypeComparison comparison(Unit::b, Unit::b, policy);
    auto difference = comparison.run(a, b, "v");
    if (!difference) return "";
    std::string notes = difference->a.note + " | " + difference->b.note;
    return difference->place() + ": " + notes;
  }
  std::string identical(uint32_t a, uint32_t b) const {
    return compare(ComparePolicy::Identical, a, b);
  }
  std::string in_c(uint32_t a, uint32_t b) const {
    return compare(ComparePolicy::CCompatible, a, b);
  }
  std::string in_libbpf(uint32_t a, uint32_t b) const {
    return compare(ComparePolicy::LibbpfCompatible, a, b);
  }
  std::string by_layout(uint32_t a, uint32_t b) const {
    return compare(ComparePolicy::Layout, a, b);
  }
};

}  // namespace

TEST_CASE("compare: contents besides names and references") {
  Types t;
  uint32_t part = t.add(BtfKind::Int, "int", 4, {0x1080010});
  CHECK(t.identical(t.int_id, part) ==
        "v: 4 bytes, encoding 1, 32 bits | 4 bytes, encoding 1, 16 bits from bit 8");
  uint32_t f = t.add(BtfKind::Func, "f", 0, {}, 0), odd = t.add(BtfKind::Func, "f", 0, {}, 7);
  CHECK(t.identical(f, odd) == "v: static | of unknown linkage");
  uint32_t s = t.add(BtfKind::Fwd, "s", 0);
  uint32_t one = t.add(BtfKind::DeclTag, "t", s, {1}), two = t.add(BtfKind::DeclTag, "t", s, {2});
  CHECK(t.identical(one, two) == "v: of component 1 | of component 2");
  uint32_t tag = t.add(BtfKind::TypeTag, "t", s);
  uint32_t attribute = t.add(BtfKind::TypeTag, "t", s, {}, 0, true);
  CHECK(t.identical(tag, attribute) == "v: without the kind flag | with the kind flag");
}

TEST_CASE("compare: integers") {
  Types t;
  uint32_t other = t.add(BtfKind::Typedef, "s32", t.int_id);
  CHECK(t.identical(t.int_id, other) == "v:  | ");
  CHECK(t.in_c(t.int_id, other) == "");
  CHECK(t.in_c(t.int_id, t.unsigned_id) == "v: 4 bytes | 4 bytes");
  CHECK(t.in_libbpf(t.int_id, t.unsigned_id) == "");
  CHECK(t.in_libbpf(t.int_id, t.long_id) == "v: 4 bytes | 8 bytes");
  CHECK(t.by_layout(t.int_id, t.long_id) == "");
}

TEST_CASE("compare: a difference behind pointers") {
  Types t;
  uint32_t a = t.ptr(t.int_id), b = t.ptr(t.long_id);
  CHECK(t.in_c(a, b) == "*v: 4 bytes | 8 bytes");
  CHECK(t.in_c(t.ptr(a), t.ptr(b)) == "**v: 4 bytes | 8 bytes");
  CHECK(t.identical(a, b) == "v:  | ");
  CHECK(t.identical(t.ptr(a), t.ptr(b)) == "*v:  | ");
  CHECK(t.in_c(t.ptr(0), b) == "v:  | ");
}

TEST_CASE("compare: arrays") {
  Types t;
  uint32_t two = t.array(t.int_id, 2), three = t.array(t.int_id, 3), open = t.array(t.int_id, 0);
  CHECK(t.in_c(two, three) == "v:  | ");
  CHECK(t.in_c(two, open) == "");
  CHECK(t.in_libbpf(two, three) == "");
  CHECK(t.in_libbpf(two, t.array(t.long_id, 2)) == "v[]: 4 bytes | 8 bytes");
}

TEST_CASE("compare: structs") {
  Types t;
  uint32_t a = t.record("s", 8, {{"x", t.int_id, 0}, {"y", t.int_id, 32}});
  uint32_t moved = t.record("s", 16, {{"x", t.int_id, 0}, {"y", t.int_id, 64}});
  uint32_t larger = t.record("s", 16, {{"x", t.long_id, 0}, {"y", t.int_id, 64}});
  uint32_t fewer = t.record("s", 8, {{"x", t.int_id, 0}});
  uint32_t named = t.record("s", 8, {{"x", t.int_id, 0}, {"z", t.int_id, 32}});
  for (auto policy :
       {ComparePolicy::Identical, ComparePolicy::CCompatible, ComparePolicy::LibbpfCompatible}) {
    CHECK(t.compare(policy, a, moved) == "v.y: at byte 4 | at byte 8");
    // The note shows the larger member, which moved the other one.
    CHECK(t.compare(policy, a, larger) == "v.x: 4 bytes | 8 bytes");
    CHECK(t.compare(policy, a, fewer) == "v.y:  | no such member");
    CHECK(t.compare(policy, fewer, a) == "v.y: no such member | ");
    CHECK(t.compare(policy, a, named) == "v.y: at byte 4 | named 'z', at byte 4");
  }
  CHECK(t.by_layout(a, moved) == "v.y: at byte 4 | at byte 8");
  CHECK(t.by_layout(a, named) == "");
  CHECK(t.by_layout(a, fewer) == "v.y: at byte 4 | no such member");
  // Behind pointers, C compares names; the layout policy compares layouts everywhere.
  CHECK(t.in_c(t.ptr(a), t.ptr(moved)) == "");
  CHECK(t.identical(t.ptr(a), t.ptr(moved)) == "v->y: at byte 4 | at byte 8");
  CHECK(t.by_layout(t.ptr(a), t.ptr(moved)) == "v.y: at byte 4 | at byte 8");
  CHECK(t.in_c(t.add(BtfKind::Fwd, "s", 0), a) == "");
  CHECK(t.identical(t.add(BtfKind::Fwd, "s", 0), a) == "v:  | ");
}

TEST_CASE("compare: the notes of both sides") {
  Types t;
  uint32_t a = t.record("s", 8, {{"x", t.int_id, 0}, {"y", t.int_id, 32}});
  uint32_t b = t.record("s", 16, {{"x", t.int_id, 0}, {"y", t.int_id, 64}});
  auto difference = TypeComparison(t.b, t.b, ComparePolicy::Identical).run(a, b, "s");
  REQUIRE(difference);
  CHECK(difference->a.definition == a);
  CHECK(difference->b.definition == b);
  CHECK(difference->a.member == 1);
  CHECK(difference->b.type == t.int_id);
}

TEST_CASE("compare: enums") {
  Types t;
  uint32_t one = t.enumeration("e", {{"A", 1}}), two = t.enumeration("e", {{"A", 2}});
  uint32_t declared = t.add(BtfKind::Enum, "e", 4);
  CHECK(t.identical(one, two) == "v: A = 1 | A = 2");
  CHECK(t.in_c(one, two) == "v: A = 1 | A = 2");
  CHECK(t.in_libbpf(one, two) == "");
  CHECK(t.by_layout(one, two) == "v: A = 1 | A = 2");
  CHECK(t.identical(one, declared) == "v: 1 enumerator | 0 enumerators");
  CHECK(t.in_c(one, declared) == "");
}

TEST_CASE("compare: functions") {
  Types t;
  uint32_t a = t.prototype(0, {"x"}, t.int_id), b = t.prototype(0, {"x"}, t.long_id);
  CHECK(t.identical(a, b) == "v (parameter 1):  | ");
  CHECK(t.in_c(t.ptr(a), t.ptr(b)) == "v (parameter 1): 4 bytes | 8 bytes");
  CHECK(t.in_c(t.prototype(t.int_id, {"x"}, 0), t.prototype(t.long_id, {"x"}, 0)) ==
        "v (return value): 4 bytes | 8 bytes");
  uint32_t local = t.add(BtfKind::Func, "f", a), global = t.add(BtfKind::Func, "f", a, {}, 1);
  CHECK(t.identical(local, global) == "v: static | global");
}

TEST_CASE("compare: one layout after another") {
  Types a, b;
  auto fill = [](Types& t, uint32_t offset) {
    uint32_t inner = t.record("inner", 16, {{"x", t.int_id, offset}});
    return t.record("outer", 24, {{"p", t.ptr(inner), 0}, {"n", t.int_id, 64 + offset}});
  };
  uint32_t of_a = fill(a, 0), of_b = fill(b, 32);
  TypeComparison comparison(a.b, b.b, ComparePolicy::Layout);
  comparison.begin(of_a, of_b, "v");
  auto first = comparison.next(), second = comparison.next();
  REQUIRE(first);
  CHECK(first->path + first->member == "v.n");
  REQUIRE(second);
  CHECK(second->path == "v.p");
  CHECK(second->member == ".x");
  CHECK_FALSE(comparison.next());
}

TEST_CASE("compare: cycles and chains end") {
  Types t;
  // Each struct points to itself.
  uint32_t next = t.b.end_id();
  uint32_t a = t.record("s", 16, {{"next", next + 1, 0}, {"x", t.int_id, 64}});
  t.ptr(a);
  uint32_t b = t.record("s", 16, {{"next", next + 3, 0}, {"x", t.int_id, 64}});
  t.ptr(b);
  for (auto policy : {ComparePolicy::Identical, ComparePolicy::CCompatible,
                      ComparePolicy::LibbpfCompatible, ComparePolicy::Layout})
    CHECK(t.compare(policy, a, b) == "");
  // A typedef of itself, which the parser would refuse.
  uint32_t self = t.add(BtfKind::Typedef, "t", t.b.end_id());
  CHECK(t.in_c(self, t.int_id) != "");
  // A long chain of pointers with different ends; the comparison must not use stack for each.
  constexpr int length = 100'000;
  uint32_t p = t.int_id, q = t.long_id;
  for (int i = 0; i < length; ++i) {
    p = t.ptr(p);
    q = t.ptr(q);
  }
  std::string deep = t.in_c(p, q);
  CHECK(deep == std::string(64, '*') + "v...: 4 bytes | 8 bytes");
}

TEST_CASE("compare: work is bounded if all types meet all") {
  // Structs of many members, each of which refers to all others.
  Types t;
  constexpr uint32_t count = 300;
  auto add_all = [&](uint32_t extra) {
    uint32_t first = t.b.end_id();
    for (uint32_t i = 0; i < count; ++i) {
      std::vector<Types::Member> members;
      for (uint32_t j = 0; j < count; ++j)
        members.push_back({"m", first + (i + j * extra) % count, 64 * j});
      t.record("", 8 * count, members);
    }
    return first;
  };
  uint32_t a = add_all(1), b = add_all(7);
  TypeComparison comparison(t.b, t.b, ComparePolicy::Identical);
  CHECK_FALSE(comparison.run(a, b, "v"));
  CHECK(comparison.work() < 2 * TypeComparison::max_work);
}
