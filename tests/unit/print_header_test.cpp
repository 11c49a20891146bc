// The C header: its order, its names, its kfuncs, and bounds on its length and time for any input.
// tests/dedup/dump-c.sh tests that compilers accept it.
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
  size_t begin = text.find("#endif\n\n");
  size_t end = text.rfind("#if defined(__BPF__)");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end > begin);
  return text.substr(begin + 8, end - begin - 8);
}

uint32_t type_definition(Unit& unit, const char* name, uint32_t type) {
  return unit.add(BtfKind::Typedef, name, type);
}

}  // namespace

TEST_CASE("definitions come before their uses") {
  Unit u;
  u.record("outer", {{"inner", 3, 0}, {"p", 4, 64}});
  uint32_t number = u.integer("int");
  u.record("inner", {{"t", 5, 0}});
  uint32_t pointer = u.ptr(6);
  type_definition(u, "t", number);
  u.record("outer_2", {{"p", pointer}});
  CHECK(header(u) ==
        "typedef int t;\n\n"
        "struct inner {\n\tt t;\n\tint: 32;\n};\n\n"
        "struct outer {\n\tstruct inner inner;\n\tstruct outer_2 *p;\n};\n\n"
        "struct outer_2 {\n\tstruct outer_2 *p;\n};\n\n");
}

TEST_CASE("a struct that parameters mention first is declared") {
  Unit u;
  uint32_t number = u.integer("int");
  uint32_t pointer = u.ptr(4);
  uint32_t function = u.add(BtfKind::FuncProto, "", number, {0, pointer}, 1);
  u.record("later", {{"a", number, 0}});
  type_definition(u, "f", function);
  uint32_t other = u.add(BtfKind::FuncProto, "", 0, {0, u.ptr(u.fwd("never")), 0, 0}, 2);
  type_definition(u, "g", other);
  CHECK(header(u) ==
        "struct later;\n\n"
        "typedef int f(struct later *);\n\n"
        "struct never;\n\n"
        "typedef void g(struct never *, ...);\n\n"
        "struct later {\n\tint a;\n\tint: 32;\n};\n\n");
}

TEST_CASE("names are unique") {
  Unit u;
  uint32_t number = u.integer("int");
  u.record("s", {{"a", number, 0}});
  u.record("s", {});
  u.enumeration("s", {{"A", 1}, {"t", 2}});
  u.enumeration("", {{"A", 7}});
  type_definition(u, "t", number);
  type_definition(u, "s", 3);
  CHECK(header(u) ==
        "struct s {\n\tint a;\n\tint: 32;\n};\n\n"
        "struct s___2 {\n};\n\n"
        "enum s___3 {\n\tA = 1,\n\tt___2 = 2,\n};\n\n"
        "typedef struct s___2 s;\n\n"
        "typedef int t;\n\n"
        "enum {\n\tA___2 = 7,\n};\n\n");
}

TEST_CASE("an enum without enumerators is declared, or has the enum's size") {
  Unit u;
  uint32_t wide = u.enumeration("wide", {}, false, 8);
  u.record("s", {{"a", wide, 0}});
  u.record("t", {{"a", u.ptr(u.enumeration("unknown", {})), 0}});
  CHECK(header(u) ==
        "enum wide {\n\twide___none = 0,\n} __attribute__((mode(DI)));\n\n"
        "struct s {\n\tenum wide a;\n};\n\n"
        "enum unknown;\n\n"
        "struct t {\n\tenum unknown *a;\n};\n\n");
}

TEST_CASE("a declaration belongs to the definition of its kind") {
  Unit u;
  u.record("s", {{"a", u.ptr(u.fwd("s")), 0}});
  u.record("t", {{"a", u.ptr(u.fwd("s", true)), 0}});
  CHECK(header(u) ==
        "struct s {\n\tstruct s *a;\n};\n\n"
        "union s___2;\n\n"
        "struct t {\n\tunion s___2 *a;\n};\n\n");
}

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

TEST_CASE("types that refer to themselves without a tag") {
  Unit u;
  type_definition(u, "t", 2);
  u.ptr(1);
  type_definition(u, "f", 4);
  u.add(BtfKind::FuncProto, "", 3, {0, 5}, 1);
  u.ptr(3);
  u.add(BtfKind::Struct, "", 8, {0, 7, 0}, 1);
  u.ptr(6);
  CHECK(header(u) == "typedef void f();\n\ntypedef void *t;\n\n");
}

TEST_CASE("kfuncs are declared for programs") {
  Unit u;
  uint32_t number = u.integer("int"), length = type_definition(u, "u32", number);
  uint32_t type = u.add(BtfKind::TypeTag, "address_space(1)", 0, {}, 0, true);
  uint32_t arena = u.ptr(type), task = u.ptr(u.fwd("task"));
  auto proto = [&](uint32_t result, std::vector<Unit::Member> parameters) {
    std::vector<uint32_t> words;
    for (auto [name, id, offset] : parameters)
      words.insert(words.end(), {u.b.add_string(name), id});
    return u.add(BtfKind::FuncProto, "", result, words, static_cast<uint32_t>(parameters.size()));
  };
  auto kfunc = [&](const char* name, uint32_t id) {
    return u.tag("bpf_kfunc", u.function(name, id)) - 1;
  };
  uint32_t callback = u.ptr(proto(number, {{"p", task}, {"", 0}}));
  uint32_t list = proto(0, {{"u32", length}, {"while", length}, {"p", task}, {"p", task}, {"", 0}});
  u.tag("bpf_fastcall", kfunc("z", proto(number, {})));
  kfunc("a__pages", proto(arena, {{"addr__ign", arena}, {"fn", callback}}));
  kfunc("list", list);
  kfunc("not a name", list);
  u.tag("bpf_kfunc", u.function("of_parameter", list), 0);
  u.tag("other", u.function("other", list));
  type_definition(u, "list", task);
  std::string text = header(u);
  CHECK(text.find("typedef struct task *list___2;\n") != std::string::npos);
  CHECK(text.substr(text.find("#ifndef BPF_NO")) ==
        "#ifndef BPF_NO_KFUNC_PROTOTYPES\n"
        "extern void BTF_TYPE_ATTRIBUTE(address_space(1)) *a__pages(void "
        "BTF_TYPE_ATTRIBUTE(address_space(1)) *addr__ign, int (*fn)(struct task *, ...)) __weak "
        "__ksym;\n"
        "extern void list(u32 u32___2, u32 while_, struct task *p, struct task *p___2, ...) __weak "
        "__ksym;\n"
        "extern __bpf_fastcall int z(void) __weak __ksym;\n"
        "#endif\n\n");
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
