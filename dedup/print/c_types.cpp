#include "dedup/print/c_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

/// The name of an INT or FLOAT, which may have several words.
std::string scalar_name(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
  bool has_words = name.find_first_not_of(allowed) == name.npos;
  return has_words ? std::string(name) : make_c_name(name);
}

bool is_scalar(BtfKind kind) {
  return kind == BtfKind::Int || kind == BtfKind::Float;
}

/// The plan of a struct whose members compilers may place.
CPlan without_padding(CPlan plan) {
  plan.is_packed = false;
  for (CLane& lane : plan.lanes) {
    lane.padding = 0;
    for (CMember& member : lane.members) member.padding = 0;
  }
  return plan;
}

}  // namespace

void CTypes::prepare_for_compilers() {
  long_size = pointer_size(btf);
  layouts.resize(btf.end_id());
  has_given_name.resize(btf.end_id());
  cuts_circle.resize(btf.end_id());
  // Types that depend on no others get their layouts now; others when those are known.
  for (uint32_t id = 1; id < btf.end_id(); ++id) {
    BtfType type = btf.type(id);
    if (is_composite(type.kind()))
      layouts[id] = {.size = type.size(), .record = id, .form = CForm::Record};
    else if (!has_references(type.kind()))
      layouts[id] = c_layout_of(btf, id, layouts, long_size);
    else if (type.kind() == BtfKind::FuncProto)
      layouts[id] = {.form = CForm::Function};
    else if (type.kind() == BtfKind::DeclTag && !type.kind_flag())
      tags.push_back({type.type(), type.component_idx(), btf.name(type)});
  }
  std::ranges::sort(tags);
  std::vector<uint32_t> ordered;
  for (uint32_t id = 1; id < btf.end_id(); ++id)
    if (is_ordered(id)) ordered.push_back(id);
  order = order_by_contents(btf, std::move(ordered));
  names.emplace(btf, order, long_size);
}

/// Whether a type is printed apart from its uses. Of functions, kfuncs are.
bool CTypes::is_ordered(uint32_t id) const {
  BtfType type = btf.type(id);
  switch (kind_class(type.kind())) {
    case KindClass::Integer:
    case KindClass::Floating:
    case KindClass::Enumeration:
    case KindClass::Declaration:
      return true;
    case KindClass::Record:
      return !btf.name(type).empty();
    case KindClass::Modifier:
      return type.kind() == BtfKind::Typedef;
    case KindClass::Function:
      return has_tag(id, "bpf_kfunc");
    case KindClass::None:
    case KindClass::Pointer:
    case KindClass::Array:
    case KindClass::Prototype:
    case KindClass::Variable:
    case KindClass::Section:
    case KindClass::Tag:
      break;
  }
  return false;
}

bool CTypes::has_tag(uint32_t type, std::string_view text) const {
  return std::ranges::binary_search(tags, Tag{type, -1, text});
}

std::string_view CTypes::keyword(BtfType type) const {
  bool is_odd_enum = is_enum(type.kind()) && is_for_compilers() && !is_enum_size(type.size());
  return is_odd_enum ? "struct" : tag_keyword(type);
}

std::string CTypes::name(uint32_t id) const {
  if (id == 0) return "void";
  BtfType type = btf.type(id);
  std::string_view name = btf.name(type);
  BtfKind kind = type.kind();
  if (is_for_compilers()) {
    std::string_view scalar = is_scalar(kind) ? c_scalar(name, type, long_size) : "";
    if (!scalar.empty()) return std::string(scalar);
    bool has_name = has_given_name[id] || is_scalar(kind) || is_composite(kind) || is_enum(kind) ||
                    kind == BtfKind::Fwd || kind == BtfKind::Typedef || kind == BtfKind::Func;
    return has_name ? std::string(names->of(id)) : "void";
  }
  if (kind == BtfKind::Datasec) return fmt::format("SEC({})", quoted_in_c(name));
  if (kind == BtfKind::DeclTag)
    return fmt::format("__attribute__((btf_decl_tag({})))", quoted_in_c(name));
  return is_scalar(kind) ? scalar_name(name) : c_name(name);
}

std::string CTypes::enumerator_name(uint32_t id, uint32_t i) const {
  if (is_for_compilers()) return std::string(names->of_enumerator(id, i));
  return c_name(btf.string(btf.type(id).enumerator(i).name_off));
}

std::string CTypes::enumerator_value(BtfType type, uint32_t i) const {
  if (is_for_compilers()) return c_enumerator_value(type, i);
  bool is_unsigned_64 = type.kind() == BtfKind::Enum64 && !type.kind_flag();
  return bpflink::enumerator_value(type, i) + (is_unsigned_64 ? "ULL" : "");
}

std::string_view CTypes::enum_attribute(BtfType type) const {
  return is_for_compilers() ? enum_mode(type) : "";
}

bool CTypes::is_inline(uint32_t id) const {
  if (id == 0 || (is_for_compilers() && has_given_name[id])) return false;
  BtfType type = btf.type(id);
  BtfKind kind = type.kind();
  if (is_composite(kind) || is_enum(kind)) return btf.name(type).empty();
  return kind == BtfKind::Ptr || kind == BtfKind::Array || kind == BtfKind::FuncProto ||
         is_qualifier(kind);
}

CTypes::Step CTypes::step(uint32_t id) const {
  if (!is_for_compilers()) return Step::Follow;
  BtfType type = btf.type(id);
  BtfKind kind = type.kind();
  CLayout target = layouts[kind == BtfKind::Array ? type.array_element_type() : type.type()];
  // C has no qualified functions, and only pointers to objects can be restricted.
  if (target.form == CForm::Function && is_qualifier(kind)) return Step::Skip;
  if (target.form != CForm::Pointer && kind == BtfKind::Restrict) return Step::Skip;
  if (kind == BtfKind::Array && !target.is_object()) return Step::EndEmpty;
  bool is_returned =
      kind == BtfKind::FuncProto && (target.form == CForm::Function || target.form == CForm::Array);
  return cuts_circle[id] || is_returned ? Step::EndInVoid : Step::Follow;
}

uint32_t CTypes::array_length(BtfType array) const {
  return is_for_compilers() ? printed_length(array, layouts) : array.array_length();
}

bool CTypes::is_void(uint32_t id) const {
  return is_for_compilers() && layouts[id].form == CForm::None;
}

CPlan CTypes::plan(uint32_t id) const {
  BtfType record = btf.type(id);
  CPlan plan;
  if (is_for_compilers()) {
    plan = plan_layout(btf, record, layouts);
    return is_partial(id) ? without_padding(std::move(plan)) : plan;
  }
  plan.lanes.resize(1);
  for (uint32_t i = 0; i < record.vlen(); ++i)
    plan.lanes[0].members.push_back({.index = i, .width = record.member_bitfield_size(i)});
  return plan;
}

uint32_t CTypes::nameless_record(uint32_t record, uint32_t member) const {
  if (!is_for_compilers()) return 0;
  BtfMember raw = btf.type(record).member(member);
  if (!btf.string(raw.name_off).empty()) return 0;
  if (unexpanded_members.contains(uint64_t{record} << 32 | member)) return 0;
  uint32_t inner = layouts[raw.type].record;
  return inner != 0 && !has_given_name[inner] ? inner : 0;
}

void CTypes::collect_member_names(uint32_t record, std::vector<std::string_view>& names) const {
  BtfType type = btf.type(record);
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    std::string_view name = btf.string(type.member(i).name_off);
    if (!name.empty())
      names.push_back(name);
    else if (uint32_t inner = nameless_record(record, i); inner != 0)
      collect_member_names(inner, names);
  }
}

}  // namespace bpflink
