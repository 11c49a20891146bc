// The Linux release that each kind, flag and form of name needs.
#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/check/releases.hpp"

namespace bpflink {
namespace {

bool has_dot(const BtfView& types, BtfType type) {
  // Names of tags are texts, and names of sections begin with a dot.
  constexpr KindSet with_identifiers = kinds_with([](const KindRow& row) {
    bool is_identifier = row.name_rule == NameRule::Optional || row.name_rule == NameRule::Needed;
    return is_identifier && row.kind != BtfKind::Var;
  });
  return with_identifiers.contains(type.kind()) && name_kind(types, type.name_off()).has_dot;
}

BtfRequirement requirement_of(const BtfView& types, uint32_t id) {
  BtfType type = types.type(id);
  BtfKind kind = type.kind();
  bool flag = type.kind_flag();
  if (type.vlen() > max_classic_vlen) return {releases::layouts, "a vlen above 65535", id};
  if (has_dot(types, type)) return {releases::dots, "a dot in a name", id};
  if (flag && kind == BtfKind::DeclTag)
    return {releases::attributes, "a DECL_TAG that is an attribute", id};
  if (flag && kind == BtfKind::TypeTag)
    return {releases::attributes, "a TYPE_TAG that is an attribute", id};
  if (flag && kind == BtfKind::Enum) return {releases::enum64, "an ENUM of signed values", id};
  if (flag && (is_composite(kind) || kind == BtfKind::Fwd))
    return {releases::functions, "kind_flag", id};
  if (kind == BtfKind::Enum && type.size() != 4)
    return {releases::enum_sizes, "an ENUM of other than 4 bytes", id};
  if (kind == BtfKind::Func && type.vlen() != 0)
    return {releases::global_functions, "a FUNC with linkage", id};
  const KindRow& row = kind_row(kind);
  return row.since == releases::first ? BtfRequirement() : BtfRequirement{row.since, row.name, id};
}

}  // namespace

BtfRequirement find_requirement(const BtfView& types, bool has_layout) {
  BtfRequirement needed;
  if (has_layout) needed = {releases::layouts, "a layout section", 0};
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    if (BtfRequirement own = requirement_of(types, id); own.release > needed.release) needed = own;
  return needed;
}

}  // namespace bpflink
