// Blobs of many units with two layouts of a central struct, as a kernel's files have if they are
// compiled with different settings. Of each type that can reach the struct, the output must have
// two, and a third for units that only declare the struct; not one for each unit.
#include <doctest/doctest.h>

#include "units.hpp"

namespace bpflink::test {

namespace {

/// What a unit knows of `struct task`
enum class Knows { SmallTask, LargeTask, OnlyName };

Knows alternating(uint32_t unit) {
  if (unit % 8 == 7) return Knows::OnlyName;
  return unit % 2 == 0 ? Knows::SmallTask : Knows::LargeTask;
}

/// Adds a unit: inode -> file -> task -> inode, all through pointers, an array with index type
/// `index`, and a struct that no other unit has. Every third unit only declares file.
void add_unit(Unit& u, uint32_t number, Knows knows, uint32_t index) {
  uint32_t first = u.b.end_id();
  uint32_t integer = first, file = first + 1, task = first + 2, to_task = first + 3;
  uint32_t to_file = first + 4, array = first + 5, inode = first + 6, to_inode = first + 7;
  u.integer("int");
  if (number % 3 == 0)
    u.fwd("file");
  else
    u.record("file", {{"owner", to_task}, {"inode", to_inode}});
  if (knows == Knows::OnlyName)
    u.fwd("task");
  else
    u.record("task", {{"cwd", to_inode}, {"pid", integer, knows == Knows::SmallTask ? 64u : 96u}});
  u.ptr(task);
  u.ptr(file);
  u.array(integer, index, 3);
  u.record("inode", {{"file", to_file}, {"numbers", array}});
  u.ptr(inode);
  std::string own = "own" + std::to_string(number);
  u.record(own.c_str(), {{"inode", to_inode}, {"task", to_task}});
}

/// The units with these numbers in one blob. All arrays have the first unit's index type, as in
/// BTF that pahole makes for a kernel.
Unit make_blob(const std::vector<uint32_t>& numbers, Knows (*knows)(uint32_t)) {
  Unit u;
  uint32_t index = u.integer("index");
  for (uint32_t number : numbers) add_unit(u, number, knows(number), index);
  return u;
}

std::vector<uint32_t> first_numbers(uint32_t count) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

/// int, index and array; six types for each task and for the units that only declare it; and each
/// unit's own struct.
uint32_t types_expected(uint32_t units) {
  return 3 + 3 * 6 + units;
}

uint32_t type_count(const DedupResult& result) {
  return result.types.end_id() - result.types.first_id();
}

}  // namespace

TEST_CASE("two definitions of a central struct in a blob of many units") {
  Unit blob = make_blob(first_numbers(24), alternating);
  auto result = dedup({&blob});
  CHECK(type_count(result) == types_expected(24));
  // One declaration of task. Each file refers to the task of its unit.
  CHECK(count(result, BtfKind::Fwd) == 1);
}

TEST_CASE("the same with each unit as an input, and with several blobs") {
  std::vector<Unit> units;
  for (uint32_t i = 0; i < 24; ++i) units.push_back(make_blob({i}, alternating));
  std::vector<const Unit*> inputs;
  for (const Unit& unit : units) inputs.push_back(&unit);
  CHECK(type_count(dedup(inputs)) == types_expected(24));

  std::vector<uint32_t> numbers = first_numbers(24);
  Unit one = make_blob({numbers.begin(), numbers.begin() + 10}, alternating);
  Unit other = make_blob({numbers.begin() + 10, numbers.end()}, alternating);
  CHECK(type_count(dedup({&one, &other})) == types_expected(24));
}

#ifndef BPFLINK_HASH_BITS  // with few hash bits, every search is long
/// As dedup(), without the oracle, which is slow.
static uint32_t count_types(const Unit& unit) {
  return type_count(deduplicated(Parsed(unit.b).btf));
}

TEST_CASE("thousands of units, and a chain of 200,000 types to the struct") {
  // In quadratic time, this would take minutes.
  CHECK(count_types(make_blob(first_numbers(20000), alternating)) == types_expected(20000));

  constexpr uint32_t depth = 100'000;
  Unit blob = make_blob(first_numbers(4), alternating);
  for (uint32_t number : {4, 5}) {
    add_unit(blob, number, alternating(number), 1);
    uint32_t type = blob.b.end_id() - 1;
    for (uint32_t i = 0; i < depth; ++i)
      type = blob.add(i % 2 ? BtfKind::Const : BtfKind::Ptr, "", type);
  }
  // No unit only declares the struct.
  CHECK(count_types(blob) == types_expected(6) - 6 + 2 * depth);
}
#endif

}  // namespace bpflink::test
