// Thousands of random inputs, compared with the oracle type by type, and tested for the guarantees
// that section 5.1 of DESIGN.md gives for every output.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "dedup/format/kinds.hpp"
#include "random_cases.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

enum class Way { OneByOne, Together, AsBlobs };

/// The result of a deduplication
struct Outcome {
  std::string error{};
  std::vector<std::vector<uint32_t>> images{};  ///< for each input and id
  std::vector<std::byte> blob{};

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome take(Deduplicator& dedup) {
  auto result = dedup.run();
  if (!result) return {.error = result.error().message};
  Outcome outcome;
  for (const TypeMap& map : result->type_maps) {
    std::vector<uint32_t>& images = outcome.images.emplace_back();
    for (uint32_t id = 0; id < map.end_id(); ++id) images.push_back(map[id]);
  }
  auto blob = result->types.finish(std::endian::native);
  if (!blob) return {.error = blob.error().message};
  outcome.blob = std::move(*blob);
  return outcome;
}

Outcome deduplicate(const Inputs& inputs, unsigned threads, Way way) {
  Deduplicator dedup({.threads = threads, .base = inputs.base()});
  std::vector<DedupInput> together;
  for (size_t i = 0; i < inputs.btfs.size(); ++i) {
    std::vector<bool> omit = inputs.has_omitted ? inputs.plain[i].omit : std::vector<bool>();
    if (way == Way::OneByOne)
      dedup.add("input", inputs.btfs[i], omit);
    else if (way == Way::Together)
      together.push_back({"input", &inputs.btfs[i], omit});
    else if (auto added = dedup.add_blob("input", inputs.blob(i)); !added)
      return {.error = added.error().message};
  }
  if (way == Way::Together) dedup.add(std::move(together));
  return take(dedup);
}

/// The difference between a deduplication and the oracle, or "".
std::string compare_with_meaning(Inputs& inputs, const Meaning& meaning, const Outcome& outcome) {
  // A member whose type is only declared is not C; resolved, it may be a cycle.
  bool is_refused = outcome.error.ends_with("contains itself without a pointer in between");
  if (meaning.contains_itself)
    return is_refused ? "" : "not refused, and a type contains itself: " + outcome.error;
  if (!outcome.error.empty()) return outcome.error;
  auto btf = Btf::parse(outcome.blob, inputs.base());
  if (!btf) return "output: " + btf.error().message;
  return find_fault(inputs.plain, meaning, outcome.images,
                    decode(outcome.blob, &inputs.plain_base, inputs.names));
}

/// Tests that the number of threads and the way to add inputs do not change the output.
std::string check_ways(const Inputs& inputs, const Outcome& expected, Random& random) {
  auto compare = [&](unsigned threads, Way way, const std::string& what) -> std::string {
    Outcome other = deduplicate(inputs, threads, way);
    if (other == expected) return "";
    return what + ", " + std::to_string(threads) + " threads: another output " + other.error;
  };
  unsigned threads = 2 + random() % 3;
  if (auto fault = compare(threads, Way::OneByOne, "one by one"); !fault.empty()) return fault;
  threads = 1 + random() % 4;
  if (auto fault = compare(threads, Way::Together, "together"); !fault.empty()) return fault;
  if (inputs.has_omitted) return "";
  return compare(1 + random() % 4, Way::AsBlobs, "as blobs");
}

/// Pairs the images of the same types in two outputs; the pairs must be one to one.
class Bijection {
 public:
  explicit Bijection(const Meaning& meaning) : meaning_(meaning) {}

  bool add(uint32_t a, uint32_t b) {
    a = meaning_.canonical(a);
    b = meaning_.canonical(b);
    return forward_.emplace(a, b).first->second == b && back_.emplace(b, a).first->second == a;
  }

 private:
  const Meaning& meaning_;
  std::map<uint32_t, uint32_t> forward_, back_;
};

/// Deduplicates with the library or with the oracle.
using Solve = Outcome (*)(const Inputs&, unsigned threads);

Outcome solve_by_library(const Inputs& inputs, unsigned threads) {
  return deduplicate(inputs, threads, Way::Together);
}

/// The result has no output bytes.
Outcome solve_by_oracle(const Inputs& inputs, unsigned) {
  Meaning meaning = find_meaning(inputs.plain, &inputs.plain_base);
  if (meaning.contains_itself) return {.error = "contains itself"};
  return {.error = "", .images = meaning.images, .blob = {}};
}

/// Tests that the order of ids and inputs does not change the output.
std::string check_order(const RandomInputs& random_inputs, const Meaning& meaning,
                        const Outcome& expected, Random& random, Solve solve) {
  std::vector<uint32_t> order(random_inputs.inputs.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  RandomInputs other{random_inputs.bases, {}};
  std::vector<std::vector<uint32_t>> places(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    other.inputs.push_back(
        permuted(random_inputs.inputs[order[i]], random_inputs.first_id(), random, places[i]));
  Outcome outcome = solve(Inputs(other), 1 + random() % 4);
  if (!outcome.error.empty()) return "in another order: " + outcome.error;
  Bijection bijection(meaning);
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t id = 0; id < places[i].size(); ++id)
      if (!bijection.add(expected.images[order[i]][id], outcome.images[i][places[i][id]]))
        return "in another order input " + std::to_string(order[i]) + " [" + std::to_string(id) +
               "] is equal to other types";
  return "";
}

/// For each id of the output: whether the type is an object, or refers to one. Such a type equals
/// only itself.
std::vector<bool> find_objects(const Inputs& inputs, const Meaning& meaning) {
  std::vector<bool> is_object(meaning.end_id());
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    for (uint32_t to = meaning.first_id; to < meaning.end_id(); ++to) {
      auto [n, id] = meaning.kept[to - meaning.first_id];
      const PlainType& t = inputs.plain[n].btf.types[id];
      bool found = BtfKind(t.kind) == BtfKind::Var || BtfKind(t.kind) == BtfKind::Datasec;
      for (uint32_t reference : t.references)
        found = found || is_object[meaning.images[n][reference]];
      is_growing |= found && !is_object[to];
      is_object[to] = found;
    }
  }
  return is_object;
}

/// Tests that inputs given twice have the same output, with the same images for their copies.
std::string check_copies(const RandomInputs& random_inputs, const Inputs& inputs,
                         const Outcome& expected, const Meaning& meaning, unsigned threads,
                         Solve solve) {
  std::vector<bool> is_object = find_objects(inputs, meaning);
  // For each copy of a variable there is a struct that refers to it, so a declaration may resolve
  // to any of them. Compilers do not generate such types.
  for (size_t i = 0; i < meaning.kept.size(); ++i) {
    auto [n, id] = meaning.kept[i];
    bool has_tag = inputs.plain[n].btf.types[id].space != test::TagSpace::None;
    if (has_tag && is_object[meaning.first_id + i]) return "";
  }
  RandomInputs twice = random_inputs;
  twice.inputs.insert(twice.inputs.end(), random_inputs.inputs.begin(), random_inputs.inputs.end());
  Outcome outcome = solve(Inputs(twice), threads);
  if (!outcome.error.empty()) return "twice: " + outcome.error;
  size_t count = expected.images.size();
  for (size_t n = 0; n < count; ++n) {
    for (uint32_t id = 0; id < expected.images[n].size(); ++id) {
      uint32_t image = expected.images[n][id];
      bool is_kept = meaning.is_same(outcome.images[n][id], image);
      bool is_copy_same = meaning.is_same(outcome.images[n + count][id], image);
      if (!is_kept || (!is_copy_same && !is_object[image]))
        return "twice: input " + std::to_string(n) + " [" + std::to_string(id) +
               "] is another type";
    }
  }
  return "";
}

/// Tests that deduplicating the output does not change it.
std::string check_again(const Inputs& inputs, const Outcome& expected, unsigned threads) {
  auto btf = Btf::parse(expected.blob, inputs.base());
  if (!btf) return "output: " + btf.error().message;
  Deduplicator dedup({.threads = threads, .base = inputs.base()});
  dedup.add("output", *btf);
  Outcome again = take(dedup);
  if (!again.error.empty()) return "again: " + again.error;
  return again.blob == expected.blob ? "" : "again: other bytes";
}

/// The fault in the oracle's own output, or "". Tests that the guarantees follow from the
/// definition.
std::optional<std::string> check_promises(const RandomInputs& random_inputs, uint64_t seed) {
  Inputs inputs(random_inputs);
  if (!inputs.is_valid) return std::nullopt;
  Outcome outcome = solve_by_oracle(inputs, 1);
  if (!outcome.error.empty()) return std::nullopt;
  Meaning meaning = find_meaning(inputs.plain, &inputs.plain_base);
  Random random(seed);
  auto fault = check_order(random_inputs, meaning, outcome, random, solve_by_oracle);
  if (!fault.empty()) return fault;
  fault = check_copies(random_inputs, inputs, outcome, meaning, 1, solve_by_oracle);
  if (!fault.empty()) return fault;
  RandomUnit output;
  for (auto [n, id] : meaning.kept) {
    output.push_back(random_inputs.inputs[n][id - meaning.first_id]);
    output.back().is_omitted = false;
    for_each_id(output.back(), [&](uint32_t& to) { to = meaning.images[n][to]; });
  }
  Inputs again({random_inputs.bases, {output}});
  if (!again.is_valid) return "output: not valid";
  Outcome twice = solve_by_oracle(again, 1);
  if (!twice.error.empty()) return "again: " + twice.error;
  for (uint32_t id = 0; id < meaning.end_id(); ++id)
    if (!meaning.is_same(twice.images[0][id], id))
      return "again: [" + std::to_string(id) + "] is another type";
  return "";
}

/// The fault in the library's further results for inputs that it deduplicates correctly, or "".
std::string check_library(const RandomInputs& random_inputs, const Inputs& inputs,
                          const Meaning& meaning, const Outcome& outcome, uint64_t seed) {
  Random random(seed);
  if (auto fault = check_ways(inputs, outcome, random); !fault.empty()) return fault;
  auto fault = check_order(random_inputs, meaning, outcome, random, solve_by_library);
  if (!fault.empty()) return fault;
  fault = check_copies(random_inputs, inputs, outcome, meaning, 1 + random() % 4, solve_by_library);
  if (!fault.empty()) return fault;
  return check_again(inputs, outcome, 1 + random() % 4);
}

/// The fault in the deduplication of some inputs, or "". Nothing if the inputs are not valid.
std::optional<std::string> check(const RandomInputs& random_inputs, uint64_t seed) {
  Inputs inputs(random_inputs);
  if (!inputs.is_valid) return std::nullopt;
  Meaning meaning = find_meaning(inputs.plain, &inputs.plain_base);
  Outcome outcome = deduplicate(inputs, 1, Way::OneByOne);
  if (auto fault = compare_with_meaning(inputs, meaning, outcome); !fault.empty()) return fault;
  if (meaning.contains_itself) return std::nullopt;
  std::string fault = check_library(random_inputs, inputs, meaning, outcome, seed);
  // The guarantees follow from the definition except for very few inputs. For these the definition
  // needs a correction, not the library.
  if (!fault.empty() && check_promises(random_inputs, seed) != "") return std::nullopt;
  return fault;
}

/// The types of a blob once more, split from it.
Outcome repeat_base(const Btf& base) {
  const BtfView& types = base;
  uint32_t count = types.end_id() - 1;
  BtfBuilder repeated(&base);
  for (uint32_t id = 1; id < types.end_id(); ++id) {
    std::vector<uint32_t> words(types.words_of(id).begin(), types.words_of(id).end());
    for_each_reference(std::span(words), [&](uint32_t& to) { to += to == 0 ? 0 : count; });
    repeated.add_type(words);
  }
  auto blob = repeated.finish(std::endian::native);
  if (!blob) return {.error = blob.error().message};
  auto btf = Btf::parse(*blob, &base);
  if (!btf) return {.error = btf.error().message};
  Deduplicator dedup({.base = &base});
  dedup.add("repeated", *btf);
  return take(dedup);
}

/// By id: whether it is a variable or section of `btf` itself, which equal only themselves, or
/// leads to one.
std::vector<bool> find_objects(const BtfView& btf) {
  std::vector<bool> leads(btf.end_id());
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (uint32_t id = btf.first_id(); id < btf.end_id(); ++id) {
      bool is_new = btf.kind(id) == BtfKind::Var || btf.kind(id) == BtfKind::Datasec;
      for_each_reference(btf.words_of(id), [&](uint32_t to) { is_new |= leads[to]; });
      has_changed |= is_new && !leads[id];
      leads[id] = leads[id] || is_new;
    }
  }
  return leads;
}

/// The fault in deduplicating an output against itself, or "": every type is found there.
std::optional<std::string> check_in_base(const RandomInputs& random_inputs, uint64_t) {
  const RandomInputs& all = random_inputs;
  Inputs inputs(all.bases.empty() ? all : RandomInputs{{}, {all.bases[0]}});
  if (!inputs.is_valid) return std::nullopt;
  Outcome output = deduplicate(inputs, 1, Way::Together);
  if (!output.error.empty()) return std::nullopt;
  auto base = Btf::parse(output.blob);
  if (!base) return "output: " + base.error().message;
  Outcome outcome = repeat_base(*base);
  if (!outcome.error.empty()) return outcome.error;
  auto left = Btf::parse(outcome.blob, &*base);
  if (!left) return "what is left: " + left.error().message;
  std::vector<bool> is_object = find_objects(*left);
  for (uint32_t id = left->first_id(); id < left->end_id(); ++id)
    if (!is_object[id]) return "[" + std::to_string(id) + "] is not found in the base";
  return "";
}

}  // namespace

TEST_CASE("random inputs have the oracle's output, however they are added") {
  run_seeds(5000, check);
}

// Random bases hardly make such inputs: only the base leads from X to the ambiguous Z.
TEST_CASE("a declaration counts what its tag reaches in the base alone") {
  auto integer = [](std::string name, uint32_t size) {
    return RandomType{
        .kind = BtfKind::Int, .name = std::move(name), .size = size, .number = 8 * size};
  };
  auto record = [](std::string name, uint32_t size, std::vector<uint32_t> members) {
    RandomType type{.kind = BtfKind::Struct, .name = std::move(name), .size = size};
    for (uint32_t member : members)
      type.elements.push_back({"m", member, 64 * type.elements.size()});
    return type;
  };
  auto ptr = [](uint32_t to) { return RandomType{.kind = BtfKind::Ptr, .type = to}; };
  const RandomUnit base = {integer("int", 4), integer("long", 8), record("Z", 8, {2}), ptr(3),
                           record("B", 8, {4})};
  const RandomType declaration{.kind = BtfKind::Fwd, .name = "X"};
  const RandomUnit of_int = {record("W", 4, {1}), ptr(6), ptr(5), record("X", 16, {8, 7})};
  const RandomUnit of_long = {record("W", 8, {2}), ptr(6), ptr(5), record("X", 16, {8, 7})};
  RandomUnit declaring = {record("W", 4, {1}), declaration, ptr(7)};
  CHECK(check({{base}, {declaring, of_int, of_long}}, 1) == "");
  declaring.push_back(record("Z", 4, {1}));
  CHECK(check({{base}, {declaring, of_int, of_long}}, 1) == "");
}

TEST_CASE("every type of a base is found there") {
  run_seeds(2000, check_in_base);
}

// Some eight of ten thousand inputs show that the definition does not quite guarantee it. Which
// seeds make them depends on the standard library.
TEST_CASE("the oracle keeps the guarantees for every output") {
  run_seeds(1000, check_promises, 5);
}
