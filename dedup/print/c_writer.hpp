// Writes C: declarators, and the bodies of structs, unions and enums. For messages, skeletons and
// headers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/print/c_types.hpp"

namespace bpflink {

/// How texts for readers and for compilers differ, besides what CTypes decides.
struct CPolicy {
  /// `__attribute__((btf_type_tag("rcu"))) struct task *p`, not
  /// `struct task BTF_TYPE_TAG("rcu") *p`.
  bool has_tags_in_front;
  /// Readers see `const const int`, because two types may differ only in that.
  bool repeats_qualifiers;
  /// Whether each prototype names its parameters, not only that of declare_function().
  bool has_parameter_names;
  /// Whether a function without a name is `int (void)`, not `int(void)`.
  bool has_space_before_parameters;
  /// Without type tags, and without the qualifiers of the name, of its elements and of the members
  /// of anonymous structs: a program can assign to each of them. What pointers point to keeps its
  /// qualifiers. is_type_or_macro() is false for the names of members and parameters.
  bool is_writable;
  // Limits: what is beyond them is printed as `...`. Types that share anonymous types can have a
  // text that is exponentially longer than they are.
  uint32_t max_nesting;  ///< of bodies and lists of parameters
  uint32_t max_chain;    ///< references from a name to its base type
  size_t max_text;       ///< bytes, and references followed
};

/// For messages. Only hostile input reaches the limits.
inline constexpr CPolicy policy_for_readers{.has_tags_in_front = true,
                                            .repeats_qualifiers = true,
                                            .has_parameter_names = true,
                                            .has_space_before_parameters = true,
                                            .is_writable = false,
                                            .max_nesting = 16,
                                            .max_chain = 256,
                                            .max_text = 256 << 10};

/// For variables in skeletons.
inline constexpr CPolicy policy_for_variables = [] {
  CPolicy policy = policy_for_readers;
  policy.is_writable = true;
  return policy;
}();

/// For a header, in which types whose text would be too deep or too long get names.
inline constexpr CPolicy policy_for_compilers{.has_tags_in_front = false,
                                              .repeats_qualifiers = false,
                                              .has_parameter_names = false,
                                              .has_space_before_parameters = false,
                                              .is_writable = false,
                                              .max_nesting = UINT32_MAX,
                                              .max_chain = UINT32_MAX,
                                              .max_text = SIZE_MAX};

/// Appends declarations and definitions to one text.
class CWriter {
 public:
  /// `types` must outlive the writer.
  CWriter(const CTypes& types, const CPolicy& policy)
      : types_(types),
        policy_(policy),
        is_tag_known_(types.layouts.size()),
        has_enumerators_(types.layouts.size()) {}

  /// `const struct foo *name`; without a name, the type alone.
  void declare(uint32_t id, std::string_view name);
  /// The same, but writes the type out even if it was given a name.
  void declare_given(uint32_t id, std::string_view name);
  /// `int name(struct foo *p)`, with the names of parameters.
  void declare_function(uint32_t proto, std::string_view name);
  /// `struct foo`, or `struct` if it has no name.
  void write_tag(uint32_t id);
  /// `struct foo { ... }`.
  void write_record(uint32_t id);
  /// `enum foo { ... }`.
  void write_enum(uint32_t id);
  /// `{ A = 1, ... }`.
  void write_enumerators(uint32_t id);
  /// Attributes for the DECL_TAGs of a type, or of its component.
  void write_decl_tags(uint32_t id, int32_t component = -1);
  void write(std::string_view text) { text_ += text; }

  /// Whether a tag has been declared or defined.
  bool is_tag_known(uint32_t id) const { return is_tag_known_[id]; }
  void set_tag_known(uint32_t id) { is_tag_known_[id] = true; }
  /// Whether an enum's enumerators are written already; C allows them once.
  bool has_enumerators(uint32_t id) const { return has_enumerators_[id]; }
  void set_enumerators_known(uint32_t id) { has_enumerators_[id] = true; }

  /// Whether a struct or union was written.
  bool has_records() const { return has_records_; }

  /// The text so far.
  const std::string& text() const { return text_; }
  /// The tags that are first mentioned among parameters of the text. They must be declared before,
  /// because otherwise C knows them only among these parameters.
  const std::vector<uint32_t>& mentioned_tags() const { return mentioned_tags_; }
  /// Begins a new text.
  void clear() {
    text_.clear();
    mentioned_tags_.clear();
  }

 private:
  struct Chain;
  bool is_dropped(BtfKind kind, const Chain& chain) const;
  enum class Words : uint8_t { Qualifiers, Tags, All };
  Chain collect_chain(uint32_t id, bool is_definition);
  void declare(const Chain& chain, std::string_view name);
  void write_qualifiers(const Chain& chain, size_t position, Words words);
  std::string qualifier(BtfType type) const;
  void write_pointers(const Chain& chain);
  void write_suffixes(const Chain& chain, bool is_nameless);
  void write_parameters(uint32_t id);
  std::vector<std::string> parameter_names(uint32_t id);
  std::string local_name(std::string_view given) const;
  void write_base(uint32_t id);
  void mention_tag(uint32_t id);

  bool open_body();
  void close_body();
  bool cut_body();
  void begin_line() { text_.append(indent_, '\t'); }
  void write_inline_enum(uint32_t id);
  void write_members(uint32_t id);
  void write_lanes(uint32_t id, const CPlan& plan);
  void write_lane(uint32_t id, const CPlan& plan, const CLane& lane);
  void write_member(uint32_t record, const CMember& member);
  void write_padding(uint64_t start, uint64_t size, uint32_t alignment);

  /// The number of open bodies and parameter lists.
  uint32_t nesting() const { return indent_ + open_parameters_; }
  bool is_too_long() const { return text_.size() + steps_ > policy_.max_text; }

  const CTypes& types_;
  const CPolicy& policy_;
  std::string text_;
  uint32_t indent_ = 0;  ///< open bodies
  uint32_t open_parameters_ = 0;
  uint32_t declared_proto_ = 0;          ///< by declare_function()
  size_t steps_ = 0;                     ///< references followed
  MemberNames* member_names_ = nullptr;  ///< of the outermost open struct, for compilers
  bool has_records_ = false;
  // By id, for compilers:
  std::vector<bool> is_tag_known_;
  std::vector<bool> has_enumerators_;
  std::vector<uint32_t> mentioned_tags_;
};

}  // namespace bpflink
