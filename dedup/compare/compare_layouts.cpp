// The layout policy: compares definitions of one name that both types lead to. If a struct's layout
// differs only because a struct in it differs, only the inner one is reported.
#include <algorithm>

#include "bpflink/btf_query.hpp"
#include "dedup/compare/compare.hpp"
#include "dedup/compare/record_layout.hpp"
#include "dedup/compare/type_text.hpp"

namespace bpflink {

namespace {

std::optional<TypeDifference> difference_at(std::string path, LayoutDifference&& difference) {
  return TypeDifference{std::move(path), std::move(difference.member), std::move(difference.a),
                        std::move(difference.b)};
}

/// The member that a path such as ".a.b" begins with, or -1 if it is in an anonymous struct.
int32_t index_of_member(const BtfView& types, uint32_t id, std::string_view path) {
  std::string_view name = path.substr(1, path.find('.', 1) - 1);
  BtfType type = types.type(id);
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (types.string(type.member(i).name_off) == name) return static_cast<int32_t>(i);
  return -1;
}

}  // namespace

TypeComparison::Found TypeComparison::compare_layouts(const Pair& pair, BtfType a, BtfType b) {
  if (is_enum(a.kind()) && is_enum(b.kind())) {
    if (may_layout_differ(pair.owner)) return std::nullopt;
    auto difference = compare_enum_layouts({a_, pair.a}, {b_, pair.b});
    if (!difference) return std::nullopt;
    difference->a.definition = pair.owner.a;
    difference->b.definition = pair.owner.b;
    return difference_at(path_to(current_), std::move(*difference));
  }
  if (a.kind() != b.kind()) return std::nullopt;
  if (is_composite(a.kind())) return compare_record_pair(pair);
  if (a.kind() == BtfKind::Ptr) add_pair(a.type(), b.type(), "->", false, pair.owner);
  if (a.kind() == BtfKind::Array)
    add_pair(a.array_element_type(), b.array_element_type(), "[]", false, pair.owner);
  if (a.kind() == BtfKind::FuncProto) {
    add_pair(a.type(), b.type(), " (return value)", false);
    for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i)
      add_pair(a.param(i).type, b.param(i).type, parameter_label(i), false);
  }
  return std::nullopt;
}

TypeComparison::Found TypeComparison::compare_record_pair(const Pair& pair) {
  if (may_layout_differ(pair.owner)) return std::nullopt;
  std::vector<CommonMember> common;
  auto difference = compare_record_layouts({a_, pair.a}, {b_, pair.b}, common, work_);
  for (const CommonMember& member : common)
    add_pair(member.a, member.b, member.path, false, pair.owner);
  // Whether a struct in it has another size. Then that struct is reported.
  auto explains_difference = [&](const CommonMember& member) {
    if (member.bit_offset > difference->bit_offset) return false;
    uint32_t a = skip_arrays(a_, member.a), b = skip_arrays(b_, member.b);
    return is_composite(a_.kind(a)) && is_composite(b_.kind(b)) &&
           a_.type(a).size() != b_.type(b).size() && !may_layout_differ(name_of(a, b, {}));
  };
  for (const CommonMember& member : common)
    if (auto found = compare_type_tags(pair, member.a, member.b, member.path);
        found && !difference && !pair.owner.name.empty()) {
      found->a.definition = pair.owner.a;
      found->b.definition = pair.owner.b;
      found->a.member = index_of_member(a_, pair.a, member.path);
      found->b.member = index_of_member(b_, pair.b, member.path);
      return found;
    }
  if (!difference || std::ranges::any_of(common, explains_difference)) return std::nullopt;
  difference->a.definition = pair.owner.a;
  difference->b.definition = pair.owner.b;
  return difference_at(path_to(current_), std::move(*difference));
}

/// The name under which two definitions are reported: their tag; without tags, their typedef;
/// otherwise the definitions that contain them.
TypeComparison::Named TypeComparison::name_of(uint32_t a, uint32_t b, const Named& owner) const {
  uint32_t id_a = skip_modifiers(a_, a), id_b = skip_modifiers(b_, b);
  std::string_view tag = a_.name(a_.type(id_a)), tag_b = b_.name(b_.type(id_b));
  if (!tag.empty() || !tag_b.empty()) return tag == tag_b ? Named{tag, id_a, id_b} : Named{};
  auto last_typedef = [](const BtfView& types, uint32_t id) {
    uint32_t last = 0;
    for (id = skip_qualifiers(types, id); types.kind(id) == BtfKind::Typedef;
         id = skip_qualifiers(types, types.type(id).type()))
      last = id;
    return last;
  };
  a = last_typedef(a_, a);
  b = last_typedef(b_, b);
  if (a == 0 || b == 0) return owner;
  std::string_view name = a_.name(a_.type(a));
  return name == b_.name(b_.type(b)) ? Named{name, a, b} : Named{};
}

/// Whether a difference is not an error. CO-RE flavors (`struct ev___old`) are meant to differ.
bool TypeComparison::may_layout_differ(const Named& named) const {
  return named.name.empty() || named.name.find("___", 1) != std::string_view::npos ||
         may_differ(named.name);
}

}  // namespace bpflink
