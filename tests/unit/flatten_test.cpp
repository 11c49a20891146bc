// Flattening, compared with its inputs: the types of the base and those of the inputs form one
// blob, whose meaning the oracle knows. tests/dedup/flatten.sh has small ones.
#include <doctest/doctest.h>

#include "random_cases.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

std::expected<DedupResult, Error> run(const Inputs& inputs, unsigned threads, bool flatten) {
  Deduplicator dedup(
      {.threads = threads, .base = inputs.base(), .borrow_inputs = true, .flatten = flatten});
  for (const Btf& btf : inputs.btfs) dedup.add("input", btf);
  return dedup.run();
}

std::optional<std::string> check_flat(const RandomInputs& random, uint64_t seed) {
  Inputs inputs(random);
  if (!inputs.is_valid || random.bases.empty()) return std::nullopt;
  auto split = run(inputs, 1, false);
  if (!split) return std::nullopt;
  auto split_blob = finish(split->types);
  std::vector<PlainInput> joined{{decode(split_blob, &inputs.plain_base, inputs.names), {}}};
  joined[0].btf.first_id = 1;
  Meaning flat = find_meaning(joined, nullptr);

  auto result = run(inputs, 1 + static_cast<unsigned>(seed % 3), true);
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
  std::string fault = find_fault(joined, flat, {images}, decode(*blob, nullptr, inputs.names));
  if (!fault.empty()) return fault;

  // Flattening again changes nothing.
  Deduplicator again;
  again.add("again", *btf);
  auto same = again.run();
  return same && finish(same->types) == *blob ? "" : "is not deduplicated";
}

}  // namespace

TEST_CASE("a flat blob is the oracle's output for base and inputs as one") {
  run_seeds(5000, check_flat, 0, 5);
}

TEST_CASE("types of unknown kinds stay, or are errors") {
  std::vector<BtfKindLayout> layout(24);
  Unit base;
  base.integer("int");
  base.integer("int");
  base.b.set_layout(layout);
  base.add(BtfKind{23}, "new", 0);
  Parsed kernel(base.b);
  Unit module{BtfBuilder(&kernel.btf)};
  module.record("a", {{"x", 1}});
  Parsed parsed(module.b, &kernel.btf);
  Deduplicator dedup({.base = &kernel.btf, .flatten = true});
  dedup.add("module", parsed.btf);
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
  Parsed kernel(base.b);
  auto flatten_with = [&](uint8_t size) {
    Unit module{BtfBuilder(&kernel.btf)};
    layout[23].info_size = size;
    module.b.set_layout(layout);
    std::vector<uint32_t> extra(size / 4);
    module.b.add_type(module.b.add_string("new"), BtfBuilder::info(BtfKind{23}), 0, extra);
    Parsed parsed(module.b, &kernel.btf);
    Deduplicator dedup({.base = &kernel.btf, .flatten = true});
    dedup.add("module", parsed.btf);
    auto result = dedup.run();
    if (!result) return result.error().message;
    Parsed flat(result->types);
    return std::string(flat.btf.name(flat.btf.type(2))) + " " +
           std::to_string(flat.btf.layout().size());
  };
  CHECK(flatten_with(4) == "new 24");
  CHECK(flatten_with(8) ==
        "module: layout section gives other sizes for kind 23 than that of an earlier input");
}
