// The C header: its order, 32-bit targets, and bounds on its length and time for any input.
// tests/dedup/dump-c.sh has names, kfuncs, circles, and tests that compilers accept it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "bpflink/print.hpp"
#include "random_types.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// The header's definitions alone
std::string header(const Unit& unit) {
  std::string text = print_c_header(Parsed(unit.b).btf);
  size_t begin = text.find("\n\n") + 2;
  size_t end = text.rfind("#endif\n");
  if (text.substr(begin).starts_with("#if defined(__BPF__)")) {
    begin = text.find("\n\n", begin) + 2;
    end = text.rfind("#if defined(__BPF__)");
  }
  return text.substr(begin, end - begin);
}

uint32_t type_definition(Unit& unit, const char* name, uint32_t type) {
  return unit.add(BtfKind::Typedef, name, type);
}

}  // namespace

TEST_CASE("32-bit targets") {
  Unit u;
  uint32_t number = u.integer("long int", 4), wide = u.integer("long long int", 8);
  // One without padding, one with padding that i386 would omit, one packed
  u.add(BtfKind::Struct, "a", 8,
        {u.b.add_string("p"), u.ptr(number), 0, u.b.add_string("n"), number, 32}, 2);
  u.add(BtfKind::Struct, "b", 16, {u.b.add_string("n"), number, 0, u.b.add_string("w"), wide, 64},
        2);
  u.add(BtfKind::Struct, "c", 12, {u.b.add_string("n"), number, 0, u.b.add_string("w"), wide, 32},
        2);
  CHECK(header(u) ==
        "struct a {\n\tlong int *p;\n\tlong int n;\n};\n\n"
        "struct b {\n\tlong int n;\n\tint: 32;\n\tlong long int w;\n};\n\n"
        "struct c {\n\tlong int n;\n\tlong long int w;\n} __attribute__((packed));\n\n");
}

TEST_CASE("types without names do not nest deeper than compilers permit") {
  Unit u;
  uint32_t type = u.integer("int");
  for (int i = 0; i < 1000; ++i) type = u.ptr(type);
  type_definition(u, "deep", type);
  std::string text = header(u);
  CHECK(
      text.starts_with("typedef int ********************************type_1;\n\n"
                       "typedef type_1 ********************************type_2;\n\n"));
  CHECK(text.ends_with("type_31 ********deep;\n\n"));
}

TEST_CASE("the text is not much longer than its types") {
  Unit u;
  uint32_t type = u.integer("int");
  // 2^30 members, if each use wrote them out
  for (int i = 0; i < 30; ++i)
    type = u.record("", {{"a", type, 0}, {"b", type, 0}}, BtfKind::Union);
  type_definition(u, "t", type);
  CHECK(header(u).size() < 100'000);
}

TEST_CASE("a long chain of typedefs of one name, and of several") {
  for (BtfKind kind : {BtfKind::Typedef, BtfKind::Ptr, BtfKind::Const, BtfKind::Struct}) {
    Unit u;
    uint32_t type = u.integer("int");
    int length = kind == BtfKind::Typedef ? BPFLINK_LONG_CHAIN : 200'000;
    for (int i = 0; i < length; ++i)
      type = kind == BtfKind::Struct ? u.add(kind, "t", 4, {1, type, 0}, 1)
                                     : u.add(kind, kind == BtfKind::Typedef ? "t" : "", type);
    type_definition(u, "last", type);
    std::string text = header(u);
    CHECK(text.size() < 100'000'000);
    std::string last = kind == BtfKind::Typedef ? "typedef t___" + std::to_string(length) : "";
    CHECK(text.find(last + " last;") != std::string::npos);
  }
}

TEST_CASE("types of one name: the largest keeps it, whatever the order") {
  for (bool is_reversed : {false, true}) {
    Unit u;
    uint32_t number = u.integer("int"), wide = u.integer("long", 8);
    auto define = [&](uint32_t type) {
      u.record("s", {{"p", u.ptr(u.record("t", {{"a", type, 0}}))}});
    };
    define(is_reversed ? wide : number);
    define(is_reversed ? number : wide);
    u.record("t", {{"a", number}, {"b", number}});
    CHECK(header(u) ==
          "struct s {\n\tstruct t___2 *p;\n};\n\n"
          "struct s___2 {\n\tstruct t___3 *p;\n};\n\n"
          "struct t {\n\tint a;\n\tint: 32;\n\tint b;\n\tint: 32;\n};\n\n"
          "struct t___2 {\n\tint a;\n\tint: 32;\n};\n\n"
          "struct t___3 {\n\tlong a;\n};\n\n");
  }
}

TEST_CASE("the order of ids does not change the text") {
  auto print = [](const std::vector<RandomUnit>& units) {
    Deduplicator dedup;
    for (const RandomUnit& unit : units)
      if (!dedup.add_blob("unit", encode(unit))) return std::string();
    auto result = dedup.run();
    if (!result) return std::string();
    return print_c_header(Parsed(result->types).btf);
  };
  uint32_t printed = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    std::vector<RandomUnit> units = random_units(seed);
    std::string text = print(units);
    printed += !text.empty();
    Random random(seed);
    std::vector<uint32_t> places;
    for (RandomUnit& unit : units) unit = permuted(unit, 1, random, places);
    std::ranges::shuffle(units, random);
    CHECK_MESSAGE(print(units) == text, "seed ", seed);
  }
  CHECK(printed > 100);
}
