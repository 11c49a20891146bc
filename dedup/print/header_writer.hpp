// The text of a header of C: definitions of types, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/print/c_layout.hpp"
#include "dedup/print/c_names.hpp"

namespace bpflink {

/// What is decided about types before they are printed.
struct HeaderTypes {
  explicit HeaderTypes(const BtfView& btf);

  /// A type without a name that is written out wherever it is used: a pointer, an array, a
  /// function, a qualifier, an anonymous struct, union or enum.
  bool is_inline(uint32_t id) const;
  /// The struct or union that a member without a name consists of, or 0.
  uint32_t nameless_record(uint32_t record, uint32_t member) const;

  BtfView btf;
  uint32_t long_size;  ///< bytes, of a pointer too
  CNames names;
  std::vector<CShape> shapes;        ///< by id, as far as they are known
  std::vector<bool> has_given_name;  ///< by id: would be inline, but was given a name
  std::vector<bool> is_cut;  ///< by id: a PTR or FUNC_PROTO that is to say nothing of what it is of
  /// Members without a name whose struct is not written out, as record << 32 | member.
  std::unordered_set<uint64_t> opaque_members;
};

/// What a tag stands behind: "union". An enum of a size that no enum of C has is a struct.
std::string_view tag_keyword(BtfType type);

/// A text between quotes, with `_` for what clang does not take in an attribute's text.
std::string attribute_text(std::string_view text);

class HeaderWriter {
 public:
  explicit HeaderWriter(const HeaderTypes& types);

  /// Defines a type: one with a name, an anonymous enum, or one that was given a name. What it
  /// needs to be complete has been defined.
  void define(uint32_t id);
  /// Says that there is a type with this tag, where that has not been said.
  void declare_tag(uint32_t id);
  /// Whether an anonymous enum has been written out somewhere.
  bool has_enumerators_of(uint32_t id) const { return has_enumerators_[id]; }

  /// The definitions.
  std::string take() { return std::move(text_); }

 private:
  /// The names of the members of a struct, with those of the anonymous ones within it.
  struct Scope {
    std::vector<std::string_view> names;  ///< sorted
    std::unordered_set<std::string_view> seen;
    RepeatedNames repeated;
    bool has_repeats = false;
  };
  struct Padding {
    uint64_t start;      ///< bits
    uint64_t size;       ///< bits
    uint32_t alignment;  ///< bytes that it may have
  };

  void write_typedef(uint32_t id);
  void write_record(uint32_t id, int indent);
  void write_enum(uint32_t id, int indent);
  void write_empty_enum(uint32_t id);
  void write_odd_enum(uint32_t id);
  bool has_names_of_c23(uint32_t id) const;

  void open_scope(uint32_t record, Scope& scope) const;
  void collect_names(uint32_t record, std::vector<std::string_view>& names) const;
  static std::string member_name(Scope& scope, std::string_view name);
  static std::string new_member_name(Scope& scope, const std::string& wish);

  void write_body(uint32_t id, int indent, Scope& scope);
  void write_lanes(uint32_t id, const CPlan& plan, int indent, Scope& scope);
  void write_lane(uint32_t id, const CPlan& plan, const CLane& lane, int indent, Scope& scope);
  void write_member(uint32_t record, const CMember& member, int indent, Scope& scope);
  void write_padding(Padding padding, int indent, Scope& scope);
  void write_enumerators(uint32_t id, int indent);
  void write_tags(uint32_t id, int32_t component);

  /// What is to be written: the name, with its type.
  struct Declaration {
    uint32_t type;
    std::string_view name{};     ///< none for a type by itself
    bool is_definition = false;  ///< of a type that was given a name, by that name
  };
  struct Chain;
  Chain follow(Declaration declaration) const;
  std::string qualifiers_of(const Chain& chain, size_t position, bool tags) const;
  void declare(Declaration declaration, int indent);
  void write_base(uint32_t id, int indent);
  void write_parameters(BtfType proto, int indent);
  void mention_tag(uint32_t id);

  const HeaderTypes& types_;
  BtfView btf_;
  std::vector<bool> is_tag_known_;     ///< by id: the tag has been declared or defined
  std::vector<bool> has_enumerators_;  ///< by id: of an enum
  /// DECL_TAGs as id, component and id of the tag, sorted.
  struct Tag {
    uint32_t type;
    int32_t component;
    uint32_t tag;
    auto operator<=>(const Tag&) const = default;
  };
  std::vector<Tag> tags_;
  int parameter_depth_ = 0;
  std::string declarations_;  ///< to come before what is being written
  std::string body_;          ///< what is being written
  std::string text_;          ///< what has been written
};

}  // namespace bpflink
