// Thousands of random sets of units against the oracle. BPFLINK_SEEDS in the
// environment asks for more or fewer.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "dedup_oracle.hpp"
#include "random_types.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// Units parsed and deduplicated; `fault` says why there is nothing more.
struct Run {
  std::vector<std::vector<std::byte>> blobs;
  std::vector<Btf> inputs;
  std::vector<TypeMap> maps;
  std::vector<std::byte> blob;
  std::vector<Btf> output;  ///< one
  bool is_valid = true;     ///< the units can be parsed
  std::string fault;

  explicit Run(const std::vector<RandomUnit>& units) {
    Deduplicator dedup;
    for (const RandomUnit& unit : units) blobs.push_back(encode(unit));
    for (const auto& bytes : blobs) {
      auto btf = Btf::parse(bytes);
      if (!btf) {
        is_valid = false;
        return;
      }
      inputs.push_back(std::move(*btf));
      dedup.add("unit", inputs.back());
    }
    auto result = dedup.run();
    if (!result) {
      fault = result.error().message;
      return;
    }
    maps = std::move(result->type_maps);
    auto bytes = result->types.finish(std::endian::native);
    if (!bytes) {
      fault = bytes.error().message;
      return;
    }
    blob = std::move(*bytes);
    auto parsed = Btf::parse(blob);
    if (!parsed)
      fault = parsed.error().message;
    else
      output.push_back(std::move(*parsed));
  }
};

std::string check(const std::vector<RandomUnit>& units) {
  Run run(units);
  if (!run.is_valid) return "";
  // A member whose type is only declared is no C; resolved, it may be circular.
  if (run.fault.ends_with("contains itself without a pointer in between")) return "";
  if (!run.fault.empty()) return run.fault;
  std::vector<const Btf*> inputs;
  for (const Btf& btf : run.inputs) inputs.push_back(&btf);
  return find_fault(inputs, run.maps, run.output[0]);
}

/// Whether another way to add the units of a run ends as that run did.
std::string compare(Deduplicator& dedup, const Run& run) {
  auto result = dedup.run();
  if (!result) return result.error().message == run.fault ? "" : result.error().message;
  auto blob = result->types.finish(std::endian::native);
  if (!blob) return blob.error().message == run.fault ? "" : blob.error().message;
  return *blob == run.blob ? "" : "other bytes";
}

/// Reading and adding at a time gives what one after the other does.
std::string check_blobs(const std::vector<RandomUnit>& units) {
  Run run(units);
  Deduplicator dedup;
  for (const auto& bytes : run.blobs) {
    auto expected = Btf::parse(bytes);
    auto btf = dedup.add_blob("unit", bytes);
    if (btf.has_value() != expected.has_value()) return "add_blob() is of another opinion";
    if (!btf) return btf.error().message == expected.error().message ? "" : btf.error().message;
  }
  return compare(dedup, run);
}

/// Adding all at a time, with several threads where all inputs are large, gives what one
/// after the other does.
std::string check_together(const std::vector<RandomUnit>& units) {
  Run run(units);
  if (!run.is_valid) return "";
  Deduplicator dedup({.threads = 3});
  std::vector<DedupInput> inputs;
  for (const Btf& btf : run.inputs) inputs.push_back({"unit", &btf});
  dedup.add(std::move(inputs));
  return compare(dedup, run);
}

std::string check_order(const std::vector<RandomUnit>& units) {
  Run forward(units);
  Run backward({units.rbegin(), units.rend()});
  if (!forward.is_valid || !forward.fault.empty() || !backward.fault.empty()) return "";
  return find_difference(forward.output[0], backward.output[0]);
}

std::string check_idempotence(const std::vector<RandomUnit>& units) {
  Run once(units);
  if (!once.is_valid || !once.fault.empty()) return "";
  Deduplicator dedup;
  dedup.add("output", once.output[0]);
  auto again = dedup.run();
  if (!again) return again.error().message;
  auto blob = again->types.finish(std::endian::native);
  return blob && *blob == once.blob ? "" : "deduplicating the output changed it";
}

void run_seeds(std::string (*check_units)(const std::vector<RandomUnit>&)) {
  const char* wanted = std::getenv("BPFLINK_SEEDS");
  uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 3000;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<RandomUnit> units = random_units(seed);
    if (check_units(units).empty()) continue;
    units = shrink(units, [&](const auto& fewer) { return !check_units(fewer).empty(); });
    FAIL("seed ", seed, ": ", check_units(units), "\n", to_text(units));
  }
}

std::string check_concatenated(const std::vector<RandomUnit>& units) {
  return check({concatenate(units)});
}

std::string check_blobs_concatenated(const std::vector<RandomUnit>& units) {
  return check_blobs({concatenate(units)});
}

std::string check_idempotence_concatenated(const std::vector<RandomUnit>& units) {
  return check_idempotence({concatenate(units)});
}

}  // namespace

TEST_CASE("random units keep their meaning and no two types are equal") {
  run_seeds(check);
}

TEST_CASE("the same within a single input") {
  run_seeds(check_concatenated);
}

TEST_CASE("units that are added together") {
  run_seeds(check_together);
}

TEST_CASE("units that are checked as they are added") {
  run_seeds(check_blobs);
  run_seeds(check_blobs_concatenated);
}

TEST_CASE("the order of inputs does not matter") {
  run_seeds(check_order);
}

TEST_CASE("the order of inputs, where structs differ in what their declarations stand for") {
  CHECK(check_order(random_units(15677)) == "");
}

TEST_CASE("an array that refers to a DATASEC, in an input that is cut") {
  CHECK(check_concatenated(random_units(10346)) == "");
}

TEST_CASE("deduplicating an output changes nothing") {
  run_seeds(check_idempotence);
  run_seeds(check_idempotence_concatenated);
}
