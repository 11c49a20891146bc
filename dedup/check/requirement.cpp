// The Linux release that each kind, flag and form of name needs.
#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// The Linux releases that introduced features.
constexpr LinuxRelease functions = {5, 0}, variables = {5, 2}, enum_sizes = {5, 5},
                       global_functions = {5, 6}, floats = {5, 13}, decl_tags = {5, 16},
                       type_tags = {5, 17}, enum64 = {6, 0}, dots = {6, 5}, attributes = {6, 15},
                       layouts = {7, 1};

bool has_dot(const BtfView& types, BtfType type) {
  // Names of tags are texts, and names of sections begin with a dot.
  constexpr KindSet with_identifiers{BtfKind::Struct, BtfKind::Union, BtfKind::Enum,
                                     BtfKind::Fwd,    BtfKind::Func,  BtfKind::Typedef,
                                     BtfKind::Enum64};
  return with_identifiers.contains(type.kind()) && name_kind(types, type.name_off()).has_dot;
}

BtfRequirement requirement_of(const BtfView& types, uint32_t id) {
  BtfType type = types.type(id);
  bool flag = type.kind_flag();
  if (type.vlen() > max_classic_vlen) return {layouts, "a vlen above 65535", id};
  if (has_dot(types, type)) return {dots, "a dot in a name", id};
  switch (type.kind()) {
    case BtfKind::Struct:
    case BtfKind::Union:
    case BtfKind::Fwd:
      if (flag) return {functions, "kind_flag", id};
      return {};
    case BtfKind::FuncProto:
      return {functions, "FUNC_PROTO", id};
    case BtfKind::Func:
      if (type.vlen() == 0) return {functions, "FUNC", id};
      return {global_functions, "a FUNC with linkage", id};
    case BtfKind::Var:
      return {variables, "VAR", id};
    case BtfKind::Datasec:
      return {variables, "DATASEC", id};
    case BtfKind::Enum:
      if (flag) return {enum64, "an ENUM of signed values", id};
      if (type.size() != 4) return {enum_sizes, "an ENUM of other than 4 bytes", id};
      return {};
    case BtfKind::Float:
      return {floats, "FLOAT", id};
    case BtfKind::DeclTag:
      if (flag) return {attributes, "a DECL_TAG that is an attribute", id};
      return {decl_tags, "DECL_TAG", id};
    case BtfKind::TypeTag:
      if (flag) return {attributes, "a TYPE_TAG that is an attribute", id};
      return {type_tags, "TYPE_TAG", id};
    case BtfKind::Enum64:
      return {enum64, "ENUM64", id};
    default:
      return {};
  }
}

}  // namespace

BtfRequirement find_requirement(const BtfView& types, bool has_layout) {
  BtfRequirement needed;
  if (has_layout) needed = {layouts, "a layout section", 0};
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    if (BtfRequirement own = requirement_of(types, id); own.release > needed.release) needed = own;
  return needed;
}

}  // namespace bpflink
