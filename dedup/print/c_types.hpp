// What types are called and how they are laid out in a text of C.
//
// A text for readers has them as the BTF does. For a header, which compilers are to take, much is
// decided first: names that differ, layouts, which types are written out where they are used, and
// what C cannot say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/print/c_layout.hpp"
#include "dedup/print/c_names.hpp"

namespace bpflink {

struct CTypes {
  /// Types as the BTF has them.
  explicit CTypes(const BtfView& btf) : btf(btf) {}

  /// Decides what can be decided of each type alone.
  void prepare_for_compilers();
  bool is_for_compilers() const { return names.has_value(); }

  /// `struct`, `union` or `enum`. An enum of a size that no enum of C has is a struct.
  std::string_view keyword(BtfType type) const;
  /// What a type is called; "" for one that has no name.
  std::string name(uint32_t id) const;
  std::string enumerator_name(uint32_t id, uint32_t i) const;
  /// The value of an enumerator, with what C needs behind it.
  std::string enumerator_value(BtfType type, uint32_t i) const;
  /// The attribute by which an enum gets another size than it would have.
  std::string_view enum_attribute(BtfType type) const;

  /// A type without a name that is written out wherever it is used: a pointer, an array, a
  /// function, a qualifier, an anonymous struct, union or enum.
  bool is_inline(uint32_t id) const;

  /// What becomes of a type between a name and its base type.
  enum class Step : uint8_t {
    Follow,
    Skip,       ///< C has no such qualifier there
    EndInVoid,  ///< what it refers to, C cannot say there
    EndEmpty,   ///< an array of what has no size: its elements take no room
  };
  Step step(uint32_t id) const;
  uint32_t array_length(BtfType array) const;
  bool has_known_parameters(uint32_t proto) const { return !is_for_compilers() || !is_cut[proto]; }
  /// Whether no object can have the type, as for void.
  bool is_void(uint32_t id) const;

  CPlan plan(BtfType record) const;
  /// The struct or union that a member without a name consists of, or 0.
  uint32_t nameless_record(uint32_t record, uint32_t member) const;
  /// Adds the names of a struct's members, with those of the nameless ones within it.
  void collect_member_names(uint32_t record, std::vector<std::string_view>& names) const;

  BtfView btf;

  // What follows is empty for readers.
  uint32_t long_size = 0;  ///< bytes, of a pointer too
  std::optional<CNames> names;
  std::vector<CShape> shapes;        ///< by id, as far as they are known
  std::vector<bool> has_given_name;  ///< by id: would be inline, but was given a name
  std::vector<bool> is_cut;  ///< by id: a PTR or FUNC_PROTO that is to say nothing of what it is of
  /// Members without a name whose struct is not written out, as record << 32 | member.
  std::unordered_set<uint64_t> opaque_members;
  /// A DECL_TAG of a type, or of its component.
  struct Tag {
    uint32_t type;
    int32_t component;
    uint32_t tag;
    auto operator<=>(const Tag&) const = default;
  };
  std::vector<Tag> tags;  ///< sorted
};

}  // namespace bpflink
