// How types are printed in C: their names, layouts, and whether they are written out where used.
//
// A text for readers shows types as they are in the BTF. A header must compile, so names are made
// unique, layouts are planned, and what C cannot express is replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_layout.hpp"
#include "dedup/print/c_names.hpp"
#include "dedup/print/select_types.hpp"

namespace bpflink {

struct CTypes {
  /// For readers.
  explicit CTypes(const BtfView& btf) : btf(btf) {}

  /// For compilers: finds the order of types, names, and layouts of types that do not depend on
  /// others.
  void prepare_for_compilers();
  bool is_for_compilers() const { return names.has_value(); }

  /// `struct`, `union` or `enum`. An enum of a size that C does not have is a struct.
  std::string_view keyword(BtfType type) const;
  /// The name of a type, or "".
  std::string name(uint32_t id) const;
  std::string enumerator_name(uint32_t id, uint32_t i) const;
  /// The value of an enumerator, with a suffix if C needs one.
  std::string enumerator_value(BtfType type, uint32_t i) const;
  /// The attribute that sets an enum's size, if needed.
  std::string_view enum_attribute(BtfType type) const;

  /// Whether a type has no name and is written out where it is used: a pointer, array, function,
  /// qualifier, or anonymous struct, union or enum.
  bool is_inline(uint32_t id) const;

  /// How a type between a name and its base type is printed.
  enum class Step : uint8_t {
    Follow,     ///< print it and go on with the type that it refers to
    Skip,       ///< omit it: C allows no such qualifier here
    EndInVoid,  ///< print void instead of the type that it refers to
    EndEmpty,   ///< an array of a type without a size: print an empty struct as the element type
  };
  Step step(uint32_t id) const;
  uint32_t array_length(BtfType array) const;
  bool has_known_parameters(uint32_t proto) const {
    return !is_for_compilers() || !cuts_circle[proto];
  }
  /// Whether the type is void, or printed as void.
  bool is_void(uint32_t id) const;

  CPlan plan(uint32_t record) const;
  /// The struct or union of a nameless member that is written out in place, or 0.
  uint32_t nameless_record(uint32_t record, uint32_t member) const;
  /// Adds the names of a struct's members, including members of nameless members.
  void collect_member_names(uint32_t record, std::vector<std::string_view>& names) const;

  BtfView btf;

  // Empty for readers:
  uint32_t long_size = 0;  ///< bytes of `long` and of pointers
  /// The types with names or enumerators, and the kfuncs, in an order that does not depend on ids.
  std::vector<uint32_t> order;
  std::optional<CNames> names;
  std::vector<CLayout> layouts;      ///< by id, as far as they are known
  std::vector<bool> has_given_name;  ///< by id: not inline, because it was given a name
  std::vector<bool>
      cuts_circle;  ///< by id: a PTR or FUNC_PROTO printed as one of void, to cut a circle
  /// Nameless members whose struct is not written out in place, as record << 32 | member.
  std::unordered_set<uint64_t> unexpanded_members;
  /// A DECL_TAG for a type, or for its component.
  struct Tag {
    uint32_t type;
    int32_t component;
    std::string_view text;
    auto operator<=>(const Tag&) const = default;
  };
  std::vector<Tag> tags;  ///< sorted
  bool has_tag(uint32_t type, std::string_view text) const;
  /// The keys of structs with some of their members, which compilers place; or null.
  const TypeKeys* partial = nullptr;
  const MemberNotes* notes = nullptr;  ///< or null
  bool is_partial(uint32_t id) const {
    return partial != nullptr && !partial->empty() &&
           partial->contains(type_key(btf, btf.type(id)));
  }

 private:
  bool is_ordered(uint32_t id) const;
};

/// Sorts types of `btf` by name, and enums without a name behind them by their first enumerator.
/// Types of one name are sorted by kind, then the larger and longer first, then by what they
/// contain and refer to. So every numbering of the types has the same order, unless two of `ids`
/// are equal, which they are not after deduplication.
///
/// Types that differ only at the end of a very long path may stay in the order of `ids`.
std::vector<uint32_t> order_by_contents(const BtfView& btf, std::vector<uint32_t> ids);

// What a type needs of others in C: to be complete, or only mentioned. A type is needed complete
// before it is used by value, and a typedef before it is used at all; a pointer to a struct needs
// only the tag.

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
