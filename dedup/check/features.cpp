// The table of features, and the release that a blob needs: that of the newest feature it uses. The
// releases are those of the kernel's sources.
#include "dedup/check/features.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"

namespace bpflink {
namespace {

/// The longest name that kernels took before releases::long_names, in bytes.
constexpr size_t max_short_name = 128;

/// The size of the enums that all kernels read, in bytes.
constexpr uint32_t common_enum_size = 4;

/// Whether `test` is true for a name of a type that kernels check.
template <class Test>
bool any_name(const BtfView& types, BtfType type, Test test) {
  bool found = false;
  for_each_checked_name(
      type, [&](uint32_t name) { found = found || (is_name_offset(types, name) && test(name)); });
  return found;
}

bool has_long_vlen(const BtfView&, BtfType type) {
  return type.vlen() > max_classic_vlen;
}

bool has_kind_flag(const BtfView&, BtfType type) {
  return type.kind_flag();
}

bool has_free_section_name(const BtfView& types, BtfType type) {
  if (!is_name_offset(types, type.name_off())) return false;
  NameKind name = name_kind(types, type.name_off());
  return name.is_section_name && !name.is_identifier;
}

bool has_dot(const BtfView& types, BtfType type) {
  return any_name(types, type, [&](uint32_t name) { return name_kind(types, name).has_dot; });
}

bool has_long_name(const BtfView& types, BtfType type) {
  return any_name(types, type, [&](uint32_t name) {
    return bounded_name(types, name, max_short_name + 1).size() > max_short_name;
  });
}

bool has_linkage(const BtfView&, BtfType type) {
  return type.vlen() != 0;
}

bool is_empty(const BtfView&, BtfType type) {
  return type.vlen() == 0;
}

bool has_other_size(const BtfView&, BtfType type) {
  return type.size() != common_enum_size;
}

/// The kinds whose names, or whose elements' names, are identifiers. That of a VAR may have dots.
constexpr KindSet with_identifiers = kinds_with([](const KindRow& row) {
  bool is_identifier = row.name_rule == NameRule::Optional || row.name_rule == NameRule::Needed ||
                       kind_words(row.kind).names.element != 0;
  return is_identifier && row.kind != BtfKind::Var;
});
constexpr KindSet all_kinds = kinds_with([](const KindRow&) { return true; });

/// A row for all types of a kind.
constexpr Feature kind_feature(BtfKind kind, Replacement replacement) {
  const KindRow& row = kind_row(kind);
  return {row.since, row.name, {kind}, nullptr, replacement};
}

constexpr auto features = [] {
  using enum BtfKind;
  using enum Replacement;
  // clang-format off
  return std::to_array<Feature>({
      {releases::layouts, "a vlen above 65535", all_kinds, has_long_vlen, None},
      {releases::attributes, "a DECL_TAG that is an attribute", {DeclTag}, has_kind_flag, NoKindFlag},
      {releases::attributes, "a TYPE_TAG that is an attribute", {TypeTag}, has_kind_flag, NoKindFlag},
      {releases::section_names, "a DATASEC's name with more than letters, digits, '_' and '.'", {Datasec}, has_free_section_name, CleanName},
      {releases::dots, "a dot in a name", with_identifiers, has_dot, CleanName},
      {releases::long_names, "a name above 128 bytes", all_kinds, has_long_name, None},
      kind_feature(Enum64, UnionOfInts),
      {releases::enum64, "an ENUM of signed values", {Enum}, has_kind_flag, NoKindFlag},
      kind_feature(TypeTag, ConstType),
      kind_feature(DeclTag, Byte),
      kind_feature(Float, EmptyStruct),
      {releases::empty_sections, "a DATASEC without variables", {Datasec}, is_empty, Members},
      {releases::global_functions, "a FUNC with linkage", {Func}, has_linkage, NoLinkage},
      {releases::enum_sizes, "an ENUM of other than 4 bytes", {Enum}, has_other_size, None, true},
      kind_feature(Var, Byte),
      kind_feature(Datasec, Members),
      {releases::functions, "kind_flag", {Struct, Union}, has_kind_flag, PlainMembers},
      {releases::functions, "kind_flag", {Fwd}, has_kind_flag, NoKindFlag},
      kind_feature(Func, TypedefType),
      kind_feature(FuncProto, Enumerators),
  });
  // clang-format on
}();
static_assert(std::ranges::is_sorted(features, std::ranges::greater{}, &Feature::since));
static_assert(std::ranges::all_of(kind_table, [](const KindRow& row) {
  return row.since == releases::first || std::ranges::any_of(features, [&](const Feature& feature) {
           return feature.kinds.contains(row.kind) && feature.since == row.since &&
                  feature.is_used == nullptr;
         });
}));

}  // namespace

std::span<const Feature> btf_features() {
  return features;
}

BtfRequirement find_requirement(const BtfView& types, bool has_layout, BtfUse use) {
  BtfRequirement needed;
  if (has_layout) needed = {releases::layouts, "a layout section", 0};
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) {
    BtfType type = types.type(id);
    if (!is_known(type.kind())) continue;
    for (const Feature& feature : features) {
      if (feature.since <= needed.release) break;
      if (!uses(feature, types, type, use)) continue;
      needed = {feature.since, feature.what, id};
      break;
    }
  }
  return needed;
}

}  // namespace bpflink
