// C declarations and definitions for readers: the order in declarators, and bounds on the depth and
// length of the text for any input
#include <doctest/doctest.h>

#include <string>

#include "bpflink/print.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

std::string declaration(const Unit& unit, uint32_t id, const char* name = "x") {
  return print_c_declaration(Parsed(unit.b).btf, id, name);
}

std::string definition(const Unit& unit, uint32_t id) {
  return print_c_definition(Parsed(unit.b).btf, id);
}

}  // namespace

TEST_CASE("declarators") {
  Unit u;
  uint32_t number = u.integer("int");
  uint32_t constant = u.add(BtfKind::Const, "", number);
  uint32_t pointer = u.add(BtfKind::Const, "", u.ptr(constant));
  uint32_t function = u.add(BtfKind::FuncProto, "", pointer, {u.b.add_string("a"), number}, 1);
  uint32_t table = u.array(u.ptr(function), number, 3);
  CHECK(declaration(u, constant) == "const int x");
  CHECK(declaration(u, pointer) == "const int *const x");
  CHECK(declaration(u, pointer, "") == "const int *const");
  CHECK(declaration(u, function, "") == "const int *const(int a)");
  CHECK(declaration(u, table) == "const int *const (*x[3])(int a)");
  CHECK(declaration(u, u.ptr(table), "") == "const int *const (*(*)[3])(int a)");
  CHECK(declaration(u, u.array(number, number, 2), "") == "int[2]");
}

TEST_CASE("qualifiers and tags are shown as in BTF") {
  Unit u;
  uint32_t number = u.integer("int");
  uint32_t array = u.array(u.add(BtfKind::Const, "", number), number, 2);
  CHECK(declaration(u, u.add(BtfKind::Const, "", array)) == "const const int x[2]");
  uint32_t tag = u.add(BtfKind::TypeTag, "rcu", u.add(BtfKind::Volatile, "", number));
  CHECK(declaration(u, u.ptr(tag)) == "volatile __attribute__((btf_type_tag(\"rcu\"))) int *x");
}

TEST_CASE("bodies are indented by their depth") {
  Unit u;
  uint32_t number = u.integer("int");
  uint32_t inner = u.record("", {{"a", number}}, BtfKind::Union);
  uint32_t function = u.add(BtfKind::FuncProto, "", 0, {0, u.ptr(inner)}, 1);
  uint32_t outer = u.record("outer", {{"f", u.ptr(function)}, {"", inner}});
  CHECK(
      definition(u, outer) ==
      "struct outer {\n\tvoid (*f)(union {\n\t\tint a;\n\t} *);\n\tunion {\n\t\tint a;\n\t};\n};");
  CHECK(definition(u, u.enumeration("e", {{"A", 1}, {"while", 2}})) ==
        "enum e {\n\tA = 1,\n\twhile_ = 2,\n};");
  CHECK(definition(u, u.enumeration("later", {})) == "enum later;");
}

TEST_CASE("text ends at a depth and length that no source reaches") {
  Unit deep;
  uint32_t type = deep.integer("int");
  for (int i = 0; i < 100; ++i) type = deep.record("", {{"a", type, 0}});
  CHECK(declaration(deep, type).find("struct { ... } a;") != std::string::npos);

  Unit wide;  // 2^30 members, if each were written out
  type = wide.integer("int");
  for (int i = 0; i < 30; ++i) type = wide.record("", {{"a", type, 0}, {"b", type, 0}});
  CHECK(declaration(wide, type).size() < 300'000);

  Unit chain;
  type = chain.integer("int");
  for (int i = 0; i < 1000; ++i) type = chain.ptr(type);
  CHECK(declaration(chain, type) == "... " + std::string(256, '*') + "x");

  Unit circle;
  circle.add(BtfKind::FuncProto, "", 0, {0, 1}, 1);
  CHECK(declaration(circle, 1).find("(...)") != std::string::npos);
}
