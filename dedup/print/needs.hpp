// What a type needs of others in C: to be complete, or only mentioned.
//
// A type is needed complete before it is used by value, and a typedef before it is used at all; a
// pointer to a struct needs only the tag.
#pragma once

#include <cstdint>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

/// A type that is needed, either complete or only mentioned.
struct Need {
  uint32_t id;
  bool mention_only;
};

/// Calls `visit` with each need that follows from a type of `btf`, or from one with fewer members.
template <typename Visit>
void for_each_need(const BtfView& btf, BtfType type, bool is_mentioned, Visit visit) {
  auto reach = [&](uint32_t id, bool mention_only) {
    if (id == 0) return;
    BtfType target = btf.type(id);
    BtfKind kind = target.kind();
    bool has_name = !btf.name(target).empty();
    // A struct with a tag can always be mentioned.
    if (mention_only && ((is_composite(target.kind()) && has_name) || kind == BtfKind::Fwd)) return;
    // Other types can only be needed in one of the two ways.
    if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto) mention_only = true;
    if (kind == BtfKind::Array || (is_composite(target.kind()) && !has_name)) mention_only = false;
    visit(Need{id, mention_only});
  };
  BtfKind kind = type.kind();
  if (kind == BtfKind::Array) reach(type.array_element_type(), false);
  if (kind == BtfKind::Ptr || kind == BtfKind::FuncProto || kind == BtfKind::Func)
    reach(type.type(), true);
  if (is_modifier(kind)) reach(type.type(), is_mentioned);
  for (uint32_t i = 0; kind == BtfKind::FuncProto && i < type.vlen(); ++i)
    reach(type.param(i).type, true);
  for (uint32_t i = 0; is_composite(kind) && i < type.vlen(); ++i)
    reach(type.member(i).type, false);
}
template <typename Visit>
void for_each_need(const BtfView& btf, Need need, Visit visit) {
  for_each_need(btf, btf.type(need.id), need.mention_only, visit);
}

}  // namespace bpflink
