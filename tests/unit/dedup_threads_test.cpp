// Inputs large enough for threads: their number does not change the output.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "bpflink/dedup.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// A struct, and after it the pointers, prototypes and array that it refers to. One unit in a
/// hundred has another definition of one of them.
void add_header(Unit& u, uint32_t header, uint32_t unit) {
  uint32_t id = u.b.end_id();
  u.record(
      "s" + std::to_string(header),
      {{"next", id + 1, 0}, {"call", id + 2, 64}, {"data", id + 4, 128}, {"rest", id + 6, 256}});
  u.b.mutable_words(id)[2] = header == 7 && unit % 100 == 0 ? 128 : 64;
  u.ptr(id);
  u.ptr(id + 3);
  u.prototype(id + 5, {""}, id + 1);
  u.array(id + 5, id + 5, 1 + header);
  u.integer("int", 4, false);
  u.add(BtfKind::Typedef, "t" + std::to_string(header % 40), id + 7);
  u.add(BtfKind::Const, "", id + 2);
}

/// A typedef and a pointer that refer to each other
void add_circle(Unit& u) {
  u.add(BtfKind::Typedef, "circle", u.b.end_id() + 1);
  u.ptr(u.b.end_id() - 1);
}

/// Some 12 MB of types: units that include some of the same headers in the same order, and have a
/// type of their own.
std::vector<std::byte> make_units(bool with_circles) {
  constexpr uint32_t units = 3000;
  constexpr uint32_t headers = 50;
  std::mt19937 random(1);
  Unit u;
  for (uint32_t unit = 0; unit < units; ++unit) {
    for (uint32_t header = 0; header < headers; ++header)
      if (random() % 2 == 0) add_header(u, header, unit);
    add_header(u, headers + unit, unit);
    if (with_circles && unit % 1000 == 0) add_circle(u);
  }
  return finish(u.b);
}

std::vector<std::byte> deduplicate(const std::vector<std::byte>& blob, unsigned threads) {
  auto btf = Btf::parse(blob);
  REQUIRE(btf);
  Deduplicator dedup({.threads = threads});
  dedup.add("units", *btf);
  auto result = dedup.run();
  REQUIRE(result);
  return finish(result->types);
}

/// The same for a blob that is checked when it is added, except for types that contain themselves.
std::expected<std::vector<std::byte>, Error> add_blob(const std::vector<std::byte>& blob,
                                                      unsigned threads) {
  Deduplicator dedup({.threads = threads});
  auto btf = dedup.add_blob("units", blob);
  if (!btf) return std::unexpected(btf.error());
  auto result = dedup.run();
  if (!result) return std::unexpected(result.error());
  return result->types.finish(std::endian::native);
}

}  // namespace

TEST_CASE("the output does not depend on the number of threads") {
  for (bool with_circles : {false, true}) {
    std::vector<std::byte> blob = make_units(with_circles);
    REQUIRE(blob.size() > 10'000'000);
    std::vector<std::byte> expected = deduplicate(blob, 1);
    CHECK(expected.size() < blob.size() / 10);
    for (unsigned threads : {2, 3, 8}) CHECK(deduplicate(blob, threads) == expected);
    for (unsigned threads : {1, 2, 3, 8}) CHECK(add_blob(blob, threads) == expected);
  }
}

TEST_CASE("many inputs at a time give the same output as one after another") {
  constexpr uint32_t units = 300;
  std::mt19937 random(2);
  std::vector<std::vector<std::byte>> blobs;
  for (uint32_t unit = 0; unit < units; ++unit) {
    Unit u;
    for (uint32_t header = 0; header < 50; ++header)
      if (random() % 2 == 0) add_header(u, header, unit);
    if (unit % 100 == 99) add_circle(u);
    blobs.push_back(finish(u.b));
  }
  std::vector<Btf> parsed;
  for (const auto& blob : blobs) parsed.push_back(*Btf::parse(blob));

  // `bad` omits types to which others refer.
  auto run = [&](unsigned threads, bool together, std::vector<uint32_t> bad) {
    Deduplicator dedup({.threads = threads});
    std::vector<DedupInput> inputs;
    for (uint32_t unit = 0; unit < units; ++unit) {
      DedupInput input{"unit" + std::to_string(unit), &parsed[unit]};
      if (std::ranges::find(bad, unit) != bad.end()) {
        input.omit.resize(parsed[unit].end_id());
        input.omit[2] = true;
      }
      if (together)
        inputs.push_back(std::move(input));
      else
        dedup.add(input.name, *input.btf, input.omit);
    }
    dedup.add(std::move(inputs));
    return dedup.run();
  };
  auto expected = run(1, false, {});
  REQUIRE(expected);
  std::vector<std::byte> bytes = finish(expected->types);
  for (unsigned threads : {1, 2, 3, 8}) {
    auto result = run(threads, true, {});
    REQUIRE(result);
    CHECK(finish(result->types) == bytes);
    REQUIRE(result->type_maps.size() == units);
    for (uint32_t unit = 0; unit < units; ++unit)
      for (uint32_t id = 1; id < parsed[unit].end_id(); ++id)
        REQUIRE(result->type_maps[unit][id] == expected->type_maps[unit][id]);

    auto failed = run(threads, true, {290, 150, 160});
    REQUIRE(!failed);
    CHECK(failed.error().message == run(1, false, {290, 150, 160}).error().message);
    CHECK(failed.error().message.starts_with("unit150: "));
  }
}

TEST_CASE("one type is most of the input") {
  // An enum whose values look like types
  BtfBuilder b;
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 1'000'000; ++i)
    values.insert(values.end(), {0, i % 3 == 1 ? BtfBuilder::info(BtfKind::Ptr) : 0});
  b.add_type(b.add_string("e"), BtfBuilder::info(BtfKind::Enum, 1'000'000), 4, values);
  for (uint32_t i = 0; i < 250'000; ++i)
    b.add_type(0, BtfBuilder::info(i % 2 ? BtfKind::Ptr : BtfKind::Const), 1 + i % 1000);
  b.set_layout(std::vector<BtfKindLayout>(1));  // permits so many values
  auto enumeration = finish(b);
  std::vector<std::byte> expected = deduplicate(enumeration, 1);
  for (unsigned threads : {1, 2, 3, 8}) CHECK(add_blob(enumeration, threads) == expected);
}

TEST_CASE("the message about a bad type does not depend on the number of threads") {
  std::vector<std::byte> blob = make_units(false);
  auto corrupt = [&](size_t offset, uint32_t word) {
    std::memcpy(&blob[24 + offset], &word, sizeof word);
    auto btf = Btf::parse(blob);
    REQUIRE(!btf);
    std::string alone = btf.error().message;
    for (unsigned threads : {1, 2, 8}) {
      auto added = add_blob(blob, threads);
      REQUIRE(!added);
      bool is_told_by_run = added.error().message == "units: " + alone;
      CHECK((is_told_by_run || added.error().message == alone));
    }
  };
  constexpr size_t words_of_header = 42;
  // References of members: of the second struct, then of the first, which comes before it, to a
  // missing id; then the first struct to itself.
  corrupt(4 * (words_of_header + 4), 0x7fffffff);
  corrupt(4 * 4, 0x7fffffff);
  uint32_t pointer = 2;
  std::memcpy(&blob[24 + 4 * (words_of_header + 4)], &pointer, sizeof pointer);
  corrupt(4 * 4, 1);
  // An invalid kind
  corrupt(blob.size() / 10 * 4, 0x7f000000);
}

TEST_CASE("no input, whatever the number of threads") {
  for (unsigned threads : {1, 2, 8}) {
    auto result = Deduplicator({.threads = threads}).run();
    REQUIRE(result);
    CHECK(result->types.end_id() == 1);
    CHECK(result->type_maps.empty());
  }
}
