// Hostile inputs: a reader must return an error or a result, and not crash, hang or use unbounded
// memory. Sanitizers detect the most.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "bpflink/check.hpp"
#include "bpflink/dedup.hpp"
#include "bpflink/explain.hpp"
#include "bpflink/print.hpp"
#include "dedup/print/select_types.hpp"
#include "random_cases.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// Calls every function on a blob.
void use(std::span<const std::byte> blob) {
  for (BtfUse of : {BtfUse::Program, BtfUse::Kernel})
    for (const BtfFault& fault : check_btf(blob, of).faults) CHECK(!describe_fault(fault).empty());
  auto btf = Btf::parse(blob);
  Deduplicator other;
  auto added = other.add_blob("a", blob);
  CHECK(added.has_value() >= btf.has_value());
  if (!btf) {
    if (!added) CHECK(added.error().message == btf.error().message);
    // The library finds types that contain themselves once each type is there once.
    if (added) CHECK(other.run().error().message == "a: " + btf.error().message);
    CHECK(!btf.error().message.empty());
    CHECK(btf.error().message.find('\n') == std::string::npos);
    return;
  }
  for (uint32_t id = 1; id < btf->end_id(); ++id) {
    print_raw(*btf, id);
    print_c_declaration(*btf, id, "x");
    print_c_definition(*btf, id);
  }
  print_c_header(*btf);
  Deduplicator dedup;
  dedup.add("a", *btf);
  dedup.add("b", *btf);
  auto result = dedup.run();
  if (!result) return;
  auto output = result->types.finish(btf->byte_order());
  if (!output) return;  // it exceeds the kernel's limits
  auto again = Btf::parse(*output);
  if (!again) return;
  std::string names[] = {"a", "b"};
  for (const char* what : {"struct s0", "enum s1", "typedef t0", "func f0"})
    (void)explain({*again, result->type_maps, names}, what);
}

BtfBuilder chain(BtfKind kind, uint32_t length) {
  BtfBuilder b;
  uint32_t name = b.add_string("t");
  for (uint32_t i = 0; i < length; ++i)
    b.add_type(kind == BtfKind::Typedef ? name : 0, BtfBuilder::info(kind),
               i + 2 > length ? 0 : i + 2);
  return b;
}

}  // namespace

TEST_CASE("changed bytes in a blob do no harm") {
  for (uint64_t seed = 1; seed <= from_environment("BPFLINK_SEEDS", 2000); ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::byte> blob = encode(concatenate(random_units(seed)));
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      size_t at = random() % blob.size();
      // Small values hit ids and counts, large ones offsets.
      if (random() % 2 == 0)
        blob[at] = static_cast<std::byte>(random() % 32);
      else
        blob[at] ^= static_cast<std::byte>(1 << random() % 8);
    }
    use(blob);
  }
}

TEST_CASE("a blob truncated anywhere is refused or complete") {
  std::vector<std::byte> blob = encode(concatenate(random_units(1)));
  for (size_t size = 0; size < blob.size(); ++size) CHECK(!Btf::parse(std::span(blob).first(size)));
}

TEST_CASE("a string section that repeats one string very often") {
  constexpr size_t string_size_at = 20;  // in the header; strings are the last section
  for (std::string_view string : {std::string_view("\0", 1), std::string_view("a\0", 2)}) {
    for (bool has_unknown_kind : {false, true}) {
      BtfBuilder b;
      std::vector<BtfKindLayout> layout(26);
      layout[25] = {4, 0, 0};
      b.set_layout(layout);
      uint32_t name = b.add_string("x");
      if (has_unknown_kind) b.add_type(name, 25u << 24, 0, std::vector<uint32_t>{0});
      b.add_type(name, BtfBuilder::info(BtfKind::Float), 4);
      auto blob = finish(b);
      uint32_t size;
      std::memcpy(&size, blob.data() + string_size_at, sizeof size);
      for (uint32_t i = 0; i < BPFLINK_LONG_CHAIN; ++i, size += string.size())
        std::ranges::copy(std::as_bytes(std::span(string)), std::back_inserter(blob));
      std::memcpy(blob.data() + string_size_at, &size, sizeof size);
      Parsed parsed(std::move(blob));
      DedupResult result = deduplicated(parsed.btf);
      CHECK(result.types.end_id() == parsed.btf.end_id());
      CHECK(result.types.add_string("new") != 0);
    }
  }
}

TEST_CASE("strings that begin within others") {
  const std::string longest(1'000'000, 'a');
  auto make = [&](uint32_t types, uint32_t step) {
    BtfBuilder b;
    uint32_t name = b.add_string(longest);
    for (uint32_t i = 0; i < types; ++i)
      b.add_type(name + 1 + i * step, BtfBuilder::info(BtfKind::Typedef), 0);
    return finish(b);
  };
  auto run = [](const std::vector<std::byte>& blob) {
    Deduplicator dedup;
    REQUIRE(dedup.add_blob("strings", blob));
    return dedup.run();
  };
  // Many types with the same one: the library searches once.
  auto same = run(make(BPFLINK_LONG_CHAIN, 0));
  REQUIRE(same);
  CHECK(same->types.end_id() == 2);
  // This many different ones would need gigabytes.
  auto many = run(make(5000, 1));
  REQUIRE(!many);
  CHECK(many.error().message ==
        "strings: strings that begin within others take more than 16777216 "
        "bytes, the kernel's limit");
}

TEST_CASE("a long chain of typedefs or pointers") {
  for (BtfKind kind : {BtfKind::Typedef, BtfKind::Ptr, BtfKind::Const}) {
    Parsed parsed(chain(kind, BPFLINK_LONG_CHAIN));
    CHECK(deduplicated(parsed.btf).types.end_id() == BPFLINK_LONG_CHAIN + 1);
    CHECK(print_c_declaration(parsed.btf, 1, "x").size() < 10'000);
  }
}

TEST_CASE("very many pointers in a cycle are all equal") {
  BtfBuilder b;
  constexpr uint32_t length = BPFLINK_LONG_CHAIN;
  for (uint32_t i = 1; i <= length; ++i)
    b.add_type(0, BtfBuilder::info(BtfKind::Ptr), i % length + 1);
  CHECK(deduplicated(Parsed(b).btf).types.end_id() == 2);
}

TEST_CASE("a chain of structs of which only the last differs") {
  // Each round of refinement separates only one more struct.
  constexpr uint32_t length = 100'000;
  BtfBuilder b;
  uint32_t member = b.add_string("m");
  for (uint32_t copy = 0; copy < 2; ++copy) {
    for (uint32_t i = 0; i < length; ++i) {
      uint32_t id = b.end_id();
      bool is_last = i + 1 == length;
      uint32_t words[] = {member, is_last ? 0 : id + 1, 0};
      b.add_type(b.add_string("s" + std::to_string(i)), BtfBuilder::info(BtfKind::Struct, 1),
                 is_last ? copy : 8, words);
      if (!is_last) b.add_type(0, BtfBuilder::info(BtfKind::Ptr), id + 2);
    }
  }
  CHECK(deduplicated(Parsed(b).btf).types.end_id() == b.end_id());
}

TEST_CASE("chains that are equal until their ends") {
  // Each typedef has one of the same name in the other chain, and a comparison of the two would
  // continue to the end without a bound.
  constexpr uint32_t length = 100'000;
  BtfBuilder b;
  for (uint32_t copy = 0; copy < 2; ++copy) {
    for (uint32_t i = 0; i < length; ++i)
      b.add_type(b.add_string("t" + std::to_string(i)), BtfBuilder::info(BtfKind::Typedef),
                 b.end_id() + 1);
    uint32_t bits[] = {32 + 32 * copy};
    b.add_type(b.add_string("int"), BtfBuilder::info(BtfKind::Int), 4 + 4 * copy, bits);
  }
  CHECK(deduplicated(Parsed(b).btf).types.end_id() == b.end_id());
}

TEST_CASE("anonymous structs in anonymous structs do not multiply") {
  // Each contains the next one twice: written out, that would be 2^64 lines.
  BtfBuilder b;
  uint32_t x = b.add_string("x"), y = b.add_string("y");
  for (uint32_t i = 1; i <= 64; ++i) {
    uint32_t next = i == 64 ? 0 : i + 1;
    uint32_t words[] = {x, next, 0, y, next, 32};
    b.add_type(0, BtfBuilder::info(BtfKind::Struct, 2), 8, words);
  }
  use(finish(b));
}

TEST_CASE("members of anonymous structs that multiply are compared up to a limit") {
  auto make = [](uint32_t size) {
    Unit unit;
    uint32_t inner = unit.record("", {{"x", unit.integer("int", size)}});
    for (int i = 0; i < 40; ++i) inner = unit.record("", {{"", inner}, {"", inner}});
    for (int i = 0; i < 500; ++i) unit.record("s" + std::to_string(i), {{"", inner}});
    return Parsed(unit.b);
  };
  Parsed a = make(4), b = make(8);
  Deduplicator dedup;
  const std::string names[] = {"a", "b"};
  for (const Parsed* input : {&a, &b}) dedup.add("input", input->btf);
  auto result = dedup.run().value();
  auto notes = compare_members({result.types, result.type_maps, names}, {});
  REQUIRE(!notes);
  CHECK(notes.error().message == "struct s0 and others have too many members to compare");
}

TEST_CASE("a prototype that very many functions share is checked once") {
  BtfBuilder b;
  uint32_t name = b.add_string("a");
  b.add_type(name, BtfBuilder::info(BtfKind::Int), 4, std::vector<uint32_t>{32});
  std::vector<uint32_t> parameters;
  for (int i = 0; i < 0xffff; ++i) parameters.insert(parameters.end(), {name, 1});
  b.add_type(0, BtfBuilder::info(BtfKind::FuncProto, 0xffff), 0, parameters);
  for (int i = 0; i < BPFLINK_LONG_CHAIN / 2; ++i)
    b.add_type(name, BtfBuilder::info(BtfKind::Func), 2);
  CHECK(check_btf(*b.finish(std::endian::native)).faults.empty());
}

TEST_CASE("names within one long string are each read up to the limit of a name") {
  BtfBuilder b;
  uint32_t name = b.add_string(std::string(8 << 20, 'a'));
  for (uint32_t i = 0; i < BPFLINK_LONG_CHAIN / 10; ++i)
    b.add_type(name + 10 * i, BtfBuilder::info(BtfKind::Struct), 0);
  BtfVerdict verdict = check_btf(*b.finish(std::endian::native), BtfUse::Kernel);
  CHECK(verdict.faults.size() + verdict.omitted == BPFLINK_LONG_CHAIN / 10);
}

TEST_CASE("split BTF without its base is told by its strings") {
  BtfBuilder b;
  b.add_type(b.add_string("int"), BtfBuilder::info(BtfKind::Struct), 0);
  auto blob = *b.finish(std::endian::native);
  CHECK(check_btf(blob).misfit.empty());
  blob[blob.size() - sizeof "?int"] =
      std::byte{'x'};  // the strings no longer begin with an empty one
  CHECK(check_btf(blob).misfit == "it is split BTF, which needs its base");
}
