// Flattening, compared with its inputs: the types of the base and those of the inputs form one
// blob, whose meaning the oracle knows. Other tests cover the inputs' own types.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "bpflink/dedup.hpp"
#include "meaning.hpp"
#include "random_types.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

/// Blobs of units, each split from those before it if `is_chain`, or else from `base`.
struct Blobs {
  std::vector<std::vector<std::byte>> bytes{};
  std::vector<Btf> btfs{};

  bool add(const RandomUnit& unit, const Btf* base) {
    btfs.reserve(16);  // split BTF keeps the address of its base
    bytes.push_back(encode(unit, base ? base->string_end() : 0));
    auto btf = Btf::parse(bytes.back(), base);
    if (btf) btfs.push_back(std::move(*btf));
    return btf.has_value();
  }
};

/// Inputs and all their bases
struct Case {
  Blobs bases{}, inputs{};
  Names names{};
  PlainBtf plain_base{};

  /// Nothing if the seed has no base, or has types that the parser refuses.
  static std::optional<Case> make(uint64_t seed) {
    RandomInputs random = random_inputs(seed);
    Case made;
    for (const RandomUnit& unit : random.bases) {
      if (!made.bases.add(unit, made.base())) return std::nullopt;
      made.plain_base = decode(made.bases.bytes.back(), &made.plain_base, made.names);
    }
    if (random.bases.empty()) return std::nullopt;
    for (const RandomUnit& unit : random.inputs)
      if (!made.inputs.add(unit, made.base())) return std::nullopt;
    return made;
  }

  const Btf* base() const { return bases.btfs.empty() ? nullptr : &bases.btfs.back(); }

  std::expected<DedupResult, Error> run(unsigned threads, bool flatten) const {
    Deduplicator dedup(
        {.threads = threads, .base = base(), .borrow_inputs = true, .flatten = flatten});
    for (const Btf& btf : inputs.btfs) dedup.add("input", btf);
    return dedup.run();
  }
};

std::string check_seed(uint64_t seed, unsigned& checked) {
  auto c = Case::make(seed);
  if (!c) return "";
  auto split = c->run(1, false);
  if (!split) return "";
  auto split_blob = finish(split->types);
  std::vector<PlainInput> joined{{decode(split_blob, &c->plain_base, c->names), {}}};
  joined[0].btf.first_id = 1;
  Meaning flat = find_meaning(joined, nullptr);

  auto result = c->run(1 + static_cast<unsigned>(seed % 3), true);
  if (flat.contains_itself) return result ? "a type contains itself, and is not refused" : "";
  if (!result) return result.error().message;
  auto blob = result->types.finish(std::endian::native);
  if (!blob) return blob.error().message;
  auto btf = Btf::parse(*blob);
  if (!btf) return btf.error().message;

  // The image of each type in the joined blob, and whether all maps agree on it
  std::vector<uint32_t> images(joined[0].btf.end_id());
  for (size_t n = 0; n < split->type_maps.size(); ++n)
    for (uint32_t id = 1; id < split->type_maps[n].end_id(); ++id) {
      uint32_t& image = images[split->type_maps[n][id]];
      if (image != 0 && image != result->type_maps[n][id]) return "two maps disagree";
      image = result->type_maps[n][id];
    }
  std::string fault = find_fault(joined, flat, {images}, decode(*blob, nullptr, c->names));
  if (!fault.empty()) return fault;

  // Flattening again changes nothing.
  Deduplicator again;
  again.add("again", *btf);
  auto same = again.run();
  if (!same || finish(same->types) != *blob) return "is not deduplicated";
  ++checked;
  return "";
}

uint64_t seed_count() {
  const char* text = std::getenv("BPFLINK_SEEDS");
  return text ? std::strtoull(text, nullptr, 10) : 5000;
}

/// A base, and a module that defines a struct that the base declares
struct Kernel {
  std::vector<std::byte> blob{};
  std::optional<Btf> base{};

  explicit Kernel(Unit& unit) {
    blob = finish(unit.b);
    base.emplace(*Btf::parse(blob));
  }
};

DedupResult flatten_all(const Btf& base, const std::vector<Btf>& inputs, bool sort = false) {
  Deduplicator dedup({.base = &base, .sort = sort, .flatten = true});
  for (const Btf& btf : inputs) dedup.add("module", btf);
  auto result = dedup.run();
  REQUIRE(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE("a flat blob is the oracle's output for base and inputs as one") {
  unsigned checked = 0;
  for (uint64_t seed = 1; seed <= seed_count(); ++seed) {
    std::string fault = check_seed(seed, checked);
    if (!fault.empty())
      FAIL("seed " << seed << ": " << fault << "\n" << to_text(random_inputs(seed)));
  }
  CHECK(checked > seed_count() / 20);
}

TEST_CASE("a declaration of the base resolves to a module's definition") {
  Unit base;
  uint32_t number = base.integer("int");
  uint32_t declared = base.fwd("task");
  uint32_t pointer = base.ptr(declared);
  uint32_t last = base.integer("long", 8);
  Kernel kernel(base);

  Unit module{BtfBuilder(&*kernel.base)};
  uint32_t task = module.record("task", {{"id", number}});
  uint32_t own_pointer = module.ptr(task);
  auto blob = finish(module.b);
  std::vector<Btf> inputs;
  inputs.push_back(*Btf::parse(blob, &*kernel.base));
  DedupResult result = flatten_all(*kernel.base, inputs);

  const TypeMap& map = result.type_maps[0];
  CHECK(result.types.first_id() == 1);
  CHECK(result.types.end_id() == 5);
  CHECK(map[number] == 1);
  CHECK(map[declared] == 2);
  CHECK(map[task] == 2);
  CHECK(map[pointer] == 3);
  CHECK(map[own_pointer] == 3);
  CHECK(map[last] == 4);
  CHECK(result.types.type(2).kind() == BtfKind::Struct);
  CHECK(result.types.type(3).type() == 2);
}

TEST_CASE("if no declaration resolves, ids of the base stay, even in a chain") {
  Unit first;
  uint32_t number = first.integer("int");
  first.fwd("other");
  Kernel kernel(first);
  Unit second{BtfBuilder(&*kernel.base)};
  second.record("a", {{"x", number}});
  auto second_blob = finish(second.b);
  auto middle = *Btf::parse(second_blob, &*kernel.base);
  Unit third{BtfBuilder(&middle)};
  uint32_t b = third.record("b", {{"x", number}});
  auto third_blob = *third.b.finish(std::endian::big);
  std::vector<Btf> inputs;
  inputs.push_back(*Btf::parse(third_blob, &middle));
  inputs.push_back(*Btf::parse(third_blob, &middle));

  DedupResult result = flatten_all(middle, inputs);
  for (const TypeMap& map : result.type_maps)
    for (uint32_t id = 0; id < map.end_id(); ++id) CHECK(map[id] == id);
  CHECK(result.types.end_id() == b + 1);
  CHECK(result.types.name(result.types.type(b)) == "b");

  DedupResult sorted = flatten_all(middle, inputs, true);
  CHECK(sorted.types.name(sorted.types.type(1)) == "a");
  CHECK(sorted.type_maps[1][b] == 2);
  CHECK(sorted.type_maps[1][number] == 3);
}

TEST_CASE("types of unknown kinds stay, or are errors") {
  std::vector<BtfKindLayout> layout(24);
  Unit base;
  base.integer("int");
  base.integer("int");
  base.b.set_layout(layout);
  base.add(BtfKind{23}, "new", 0);
  Kernel kernel(base);
  Unit module{BtfBuilder(&*kernel.base)};
  module.record("a", {{"x", 1}});
  auto blob = finish(module.b);
  Btf btf = *Btf::parse(blob, &*kernel.base);
  Deduplicator dedup({.base = &*kernel.base, .flatten = true});
  dedup.add("module", btf);
  auto result = dedup.run();
  REQUIRE(!result);
  CHECK(result.error().message.starts_with(
      "base and the types split from it: type [3] 'new' has unknown kind 23, which may"));
}

TEST_CASE("layout sections of base and inputs are merged, and must agree") {
  std::vector<BtfKindLayout> layout(24);
  layout[23] = {4, 0, 0};
  Unit base;
  base.integer("int");
  base.b.set_layout(layout);
  Kernel kernel(base);
  auto flatten_with = [&](uint8_t size) {
    Unit module{BtfBuilder(&*kernel.base)};
    layout[23].info_size = size;
    module.b.set_layout(layout);
    std::vector<uint32_t> extra(size / 4);
    module.b.add_type(module.b.add_string("new"), BtfBuilder::info(BtfKind{23}), 0, extra);
    auto blob = finish(module.b);
    Btf btf = *Btf::parse(blob, &*kernel.base);
    Deduplicator dedup({.base = &*kernel.base, .flatten = true});
    dedup.add("module", btf);
    auto result = dedup.run();
    if (!result) return result.error().message;
    auto flat = finish(result->types);
    Btf read = *Btf::parse(flat);
    return std::string(read.name(read.type(2))) + " " + std::to_string(read.layout().size());
  };
  CHECK(flatten_with(4) == "new 24");
  CHECK(flatten_with(8) ==
        "module: layout section gives other sizes for kind 23 than that of an earlier input");
}
