// Distilled bases, compared with a walk over the types by the plain reader
#include "bpflink/distill.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "random_cases.hpp"
#include "units.hpp"

using namespace bpflink;
using namespace bpflink::test;

namespace {

bool is_findable(const PlainType& t) {
  return t.name != 0 && (BtfKind(t.kind) == BtfKind::Int || BtfKind(t.kind) == BtfKind::Float ||
                         BtfKind(t.kind) == BtfKind::Fwd || BtfKind(t.kind) == BtfKind::Struct ||
                         BtfKind(t.kind) == BtfKind::Union || BtfKind(t.kind) == BtfKind::Enum ||
                         BtfKind(t.kind) == BtfKind::Enum64);
}

/// Types that no loader finds
bool is_lost(const PlainType& t) {
  return BtfKind(t.kind) == BtfKind::Func || BtfKind(t.kind) == BtfKind::Var ||
         BtfKind(t.kind) == BtfKind::Datasec || BtfKind(t.kind) == BtfKind::DeclTag;
}

/// The types of the base that split types need
std::set<uint32_t> find_needed(const PlainBtf& split) {
  std::set<uint32_t> needed;
  std::vector<uint32_t> open;
  for (uint32_t id = split.first_id; id < split.end_id(); ++id) open.push_back(id);
  while (!open.empty()) {
    const PlainType& type = split.types[open.back()];
    open.pop_back();
    for (uint32_t id : type.references)
      if (id != 0 && id < split.first_id && needed.insert(id).second &&
          !is_findable(split.types[id]) && !is_lost(split.types[id]))
        open.push_back(id);
  }
  return needed;
}

/// The fault in a base type's distilled form, or "".
std::string compare_named(BtfType old, std::string_view old_name, BtfType now,
                          std::string_view now_name) {
  if (old_name != now_name) return "another name";
  switch (old.kind()) {
    case BtfKind::Struct:
    case BtfKind::Union:
      if (now.kind() != old.kind()) return "another kind";
      break;
    case BtfKind::Enum:
    case BtfKind::Enum64:
      if (now.kind() != BtfKind::Enum) return "no ENUM";
      break;
    default:
      return std::ranges::equal(old.words().subspan(1), now.words().subspan(1)) ? "" : "changed";
  }
  if (now.vlen() != 0 || now.kind_flag()) return "has members or a flag";
  return now.size() == old.size() ? "" : "another size";
}

std::string check_one(const Btf& split, const PlainBtf& plain, Names& names) {
  std::set<uint32_t> needed = find_needed(plain);
  bool is_refused =
      std::ranges::any_of(needed, [&](uint32_t id) { return is_lost(plain.types[id]); });
  for (uint32_t id = plain.first_id; id < plain.end_id(); ++id)
    is_refused |= BtfKind(plain.types[id].kind) == BtfKind::DeclTag &&
                  split.type(id).component_idx() >= 0 &&
                  plain.types[id].references[0] < plain.first_id &&
                  is_findable(plain.types[plain.types[id].references[0]]);
  auto distilled = distill(split, std::endian::native);
  if (is_refused) return distilled ? "is not refused" : "";
  if (!distilled) return distilled.error().message;
  auto blob = distilled->types.finish(std::endian::native);
  if (!blob) return blob.error().message;
  auto read = Btf::parse(*blob, distilled->base.get());
  if (!read) return read.error().message;
  PlainBtf base = decode(distilled->base_blob, nullptr, names);
  PlainBtf now = decode(*blob, &base, names);

  // No more types than needed, and each once
  size_t own = plain.end_id() - plain.first_id;
  if (now.end_id() != 1 + own + needed.size()) return "has more or fewer types";
  std::set<uint32_t> images;
  const TypeMap& map = distilled->type_map;
  if (map.end_id() != plain.end_id()) return "the map has another size";
  for (uint32_t id = 1; id < plain.end_id(); ++id) {
    bool is_own = id >= plain.first_id;
    if (!is_own && !needed.contains(id)) {
      if (map[id] != 0) return "what nothing needs is there";
      continue;
    }
    if (!images.insert(map[id]).second || map[id] == 0) return "two types have become one";
    if (!is_own && is_findable(plain.types[id])) {
      if (map[id] >= base.end_id()) return "a name is not in the distilled base";
      BtfType old = split.type(id), made = read->type(map[id]);
      std::string fault = compare_named(old, split.name(old), made, read->name(made));
      if (!fault.empty()) return "[" + std::to_string(id) + "] " + fault;
      continue;
    }
    if (map[id] < base.end_id()) return "a split type is in the distilled base";
    const PlainType &old = plain.types[id], &made = now.types[map[id]];
    if (old.words != made.words) return "[" + std::to_string(id) + "] has other words";
    for (size_t i = 0; i < old.references.size(); ++i)
      if (map[old.references[i]] != made.references[i]) return "a reference leads elsewhere";
  }
  // The only strings of the distilled base are its types' names.
  std::string_view strings = distilled->base->strings();
  std::set<std::string_view> type_names{""};
  for (uint32_t id = 1; id < base.end_id(); ++id)
    type_names.insert(distilled->base->name(distilled->base->type(id)));
  for (size_t at = 0; at < strings.size(); at += std::string_view(&strings[at]).size() + 1)
    if (!type_names.contains(&strings[at])) return "a string is no type's name";

  // Distilling again changes nothing.
  auto again = distill(*read, std::endian::native);
  if (!again) return again.error().message;
  if (again->base_blob != distilled->base_blob) return "another base, distilled again";
  return finish(again->types) == *blob ? "" : "other types, distilled again";
}

std::optional<std::string> check_distilled(const RandomInputs& random, uint64_t) {
  Inputs inputs(random);
  if (!inputs.is_valid || random.bases.empty()) return std::nullopt;
  for (size_t i = 0; i < inputs.btfs.size(); ++i)
    if (auto fault = check_one(inputs.btfs[i], inputs.plain[i].btf, inputs.names); !fault.empty())
      return fault;
  return "";
}

/// A base of all kinds, and BTF split from it
struct Kernel {
  Unit unit;
  uint32_t number = unit.integer("int");
  uint32_t task = unit.record("task", {{"id", number}, {"next", 0}});
  uint32_t pointer = unit.ptr(task);
  uint32_t state = unit.add(BtfKind::Enum64, "state", 8, {unit.b.add_string("ON"), 1, 0}, 1, true);
  uint32_t anonymous = unit.record("", {{"task", pointer}, {"state", state}});
  uint32_t unused = unit.record("unused", {{"x", number}});
  uint32_t proto = unit.add(BtfKind::FuncProto, "", number);
  uint32_t function = unit.add(BtfKind::Func, "run", proto, {}, 1);
  uint32_t name = unit.add(BtfKind::Typedef, "task_t", task);
  Parsed parsed{unit.b};
  const Btf& btf = parsed.btf;
};

}  // namespace

TEST_CASE("a distilled base has the needed names and sizes, and the types stay the same") {
  run_seeds(5000, check_distilled, 0, 5);
}

TEST_CASE("types sorted by name stay sorted with the added types") {
  Kernel kernel;
  Unit module{BtfBuilder(&kernel.btf)};
  uint32_t event = module.record("event", {{"a", kernel.name}});
  uint32_t zebra = module.record("zebra", {{"b", kernel.pointer}});
  auto distilled = distill(Parsed(module.b, &kernel.btf).btf, std::endian::native);
  REQUIRE(distilled);
  CHECK(is_sorted_by_name(Parsed(distilled->types, distilled->base.get()).btf));
  CHECK(distilled->type_map[kernel.pointer] == 2);
  CHECK(distilled->type_map[event] == 3);
  CHECK(distilled->type_map[kernel.name] == 4);
  CHECK(distilled->type_map[zebra] == 5);
}

TEST_CASE("maps of inputs compose with the distillation's") {
  Kernel kernel;
  Unit module{BtfBuilder(&kernel.btf)};
  uint32_t event = module.record("event", {{"a", kernel.anonymous}});
  uint32_t twin = module.record("event", {{"a", kernel.anonymous}});
  Parsed split(module.b, &kernel.btf);
  Deduplicator dedup({.base = &kernel.btf});
  dedup.add("one", split.btf);
  dedup.add("two", split.btf);
  auto result = *dedup.run();
  result.type_maps[1].set(twin, 0);
  auto distilled = *distill(Parsed(result.types, &kernel.btf).btf, std::endian::native);
  compose(result.type_maps, distilled.type_map);
  uint32_t want = distilled.type_map[event];
  for (const TypeMap& map : result.type_maps) {
    CHECK(map[0] == 0);
    CHECK(map[event] == want);
    CHECK(map[kernel.task] == 1);
    CHECK(map[kernel.unused] == 0);
  }
  CHECK(result.type_maps[0][twin] == want);
  CHECK(result.type_maps[1][twin] == 0);
}

TEST_CASE("types that no loader could find are errors") {
  Kernel kernel;
  auto fails = [&](auto add, const Btf* base) {
    Unit module{BtfBuilder(base)};
    add(module);
    return distill(Parsed(module.b, base).btf, std::endian::native).error().message;
  };
  CHECK(fails([](Unit& u) { u.integer("long"); }, nullptr) ==
        "is not split BTF: there is no base to distill");
  CHECK(fails([&](Unit& u) { u.add(BtfKind::DeclTag, "fast", kernel.function, {UINT32_MAX}); },
              &kernel.btf) ==
        "type [10] DECL_TAG 'fast' refers to type [8] FUNC 'run' of the base, which no distilled "
        "base can have");
  CHECK(fails([&](Unit& u) { u.add(BtfKind::DeclTag, "hot", kernel.task, {1}); }, &kernel.btf) ==
        "type [10] DECL_TAG 'hot' is for a member of type [2] STRUCT 'task' of the base, which "
        "has no members when distilled");
  auto add_unknown = [](Unit& u) {
    u.b.set_layout(std::vector<BtfKindLayout>(24));
    u.add(BtfKind{23}, "new", 0);
  };
  CHECK(fails(add_unknown, &kernel.btf) ==
        "type [10] UNKNOWN 'new' has unknown kind 23, which may refer to any type");
}
