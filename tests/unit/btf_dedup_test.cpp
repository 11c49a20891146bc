// Deduplicator: which types merge, which do not, and the id maps
#include <doctest/doctest.h>

#include <vector>

#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

TEST_CASE("equal types of two inputs become one, in order of first occurrence") {
  Unit a, b;
  uint32_t a_int = a.integer("int");
  uint32_t a_ptr = a.ptr(a_int);
  uint32_t b_ptr = b.ptr(2);
  uint32_t b_int = b.integer("int");
  auto result = dedup({&a, &b});
  CHECK(result.types.end_id() == 3);
  CHECK(result.type_maps[0][a_int] == 1);
  CHECK(result.type_maps[0][a_ptr] == 2);
  CHECK(result.type_maps[1][b_ptr] == 2);
  CHECK(result.type_maps[1][b_int] == 1);
  CHECK(result.types.type(2).type() == 1);
}

TEST_CASE("a list node that points to itself is one type") {
  Unit a, b;
  a.record("node", {{"next", 2}, {"value", 3}});
  a.ptr(1);
  a.integer("int");
  b.integer("int");
  b.ptr(3);
  b.record("node", {{"next", 2}, {"value", 1}});
  auto result = dedup({&a, &b});
  CHECK(result.types.end_id() == 4);
  CHECK(result.type_maps[1][3] == 1);
}

TEST_CASE("a forward declaration resolves to the only definition of its name") {
  Unit a, b;
  a.ptr(a.fwd("foo"));
  b.ptr(b.record("foo", {{"x", b.integer("int")}}));
  auto result = dedup({&a, &b});
  CHECK(result.types.end_id() == 4);
  CHECK(result.types.type(result.type_maps[0][1]).kind() == BtfKind::Struct);
  CHECK(result.type_maps[0][2] == result.type_maps[1][3]);
}

TEST_CASE("omitted types map to 0, and a reference to one is an error") {
  Unit a;
  a.integer("int");
  a.integer("long", 8);
  auto blob = a.b.finish(std::endian::native);
  auto btf = Btf::parse(*blob);
  Deduplicator d;
  d.add("a.o", *btf, {false, true, false});
  auto result = d.run();
  REQUIRE(result);
  CHECK(result->type_maps[0][1] == 0);
  CHECK(result->type_maps[0][2] == 1);

  Unit p;
  p.ptr(p.integer("int"));
  blob = p.b.finish(std::endian::native);
  btf = Btf::parse(*blob);
  Deduplicator failing;
  failing.add("p.o", *btf, {false, true, false});
  auto failure = failing.run();
  REQUIRE(!failure);
  CHECK(failure.error().message ==
        "p.o: type [2] PTR: refers to type [1] INT 'int', which is omitted");
}
