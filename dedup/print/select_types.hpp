// Chooses types by name, so that these and what they need can be printed alone.
//
// What stands behind a pointer need not be known: a struct there is a declaration, unless it was
// chosen itself. So `task_struct` alone is a page, and not a kernel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "bpflink/explain.hpp"

namespace bpflink {

/// What the user asks about: a keyword, the kinds that it stands for, and a name.
struct Subject {
  std::string_view keyword;
  std::vector<BtfKind> kinds;
  std::string_view name = {};

  bool is_tag() const { return kinds.size() > 1; }
  bool matches(const BtfView& btf, BtfType type) const {
    return btf.name(type) == name && has_kind_of(type);
  }
  bool has_kind_of(BtfType type) const {
    if (std::ranges::find(kinds, type.kind()) == kinds.end()) return false;
    return type.kind() != BtfKind::Fwd || type.kind_flag() == (keyword == "union");
  }
};

/// All keywords, without a name.
const std::vector<Subject>& all_subjects();

/// The subjects that `what` means: one for "struct NAME", one of each keyword for a name alone.
/// They are views of `what`.
std::expected<std::vector<Subject>, Error> parse_subjects(std::string_view what);

/// ", did you mean 'struct foo'?" if a type has a name similar to that of the subjects, otherwise
/// "".
std::string suggest_type(const BtfView& btf, const std::vector<Subject>& subjects);

/// A name as a user gave it, perhaps with a keyword, in which `*` and `?` are wildcards.
struct TypePattern {
  std::string_view text;
  std::vector<Subject> subjects = {};
  std::string name = {};  ///< of all subjects
  bool has_wildcards = false;
  bool is_matched = false;  ///< set by select_types()

  bool has_kind_of(BtfType type) const {
    return std::ranges::any_of(subjects, [&](const Subject& s) { return s.has_kind_of(type); });
  }
};

/// Errors: the text, of which the pattern is a view, is not "NAME" or "struct NAME".
std::expected<TypePattern, Error> parse_type_pattern(std::string_view text);

/// A pattern of members.
struct MemberPattern {
  std::string text;
  bool is_matched = false;
  std::string fault = {};  ///< of a struct without a match
};

/// What is chosen of the types of one or several blobs. Strings are views of the caller's.
struct TypeChoice {
  std::vector<TypePattern> types;   ///< each must match something
  std::vector<TypePattern> except;  ///< what to omit
  /// Names that structs, unions and enums may have; typedefs, enumerators and marked kfuncs; and
  /// any functions.
  std::unordered_set<std::string_view> tags, names, functions;
  /// Names of structs that need no more than a declaration, and of functions whose parameters do.
  std::unordered_set<std::string_view> mentioned, targets;
  /// In sources: by a struct the names of pointers to it, and by a name those that follow it after
  /// `->`, `.` or `,`. They tell which members are used, also by functions that the objects lack.
  std::unordered_map<std::string_view, std::unordered_set<std::string_view>> pointers, followers;
  /// Names of what a header has, also of its macros: types and enumerators to omit.
  std::unordered_set<std::string_view> known;
  /// By the name of a struct or union: patterns of the members to keep.
  std::unordered_map<std::string_view, std::vector<MemberPattern>> members;
  std::vector<const Btf*> programs;  ///< what their own types name is chosen as well
  bool is_deep = false;              ///< with what stands behind pointers
  /// Whether structs within others, that are not chosen and not used, have a size and no members.
  bool is_sparse = false;

  /// Whether it keeps all types as they are.
  bool is_all() const;
};

/// Types by what names them in any BTF: "struct task", "typedef u32", and of an enum without a tag
/// its first enumerator.
using TypeKeys = std::unordered_set<std::string>;
std::string type_key(const BtfView& btf, BtfType type);

/// Of the member `member` of the struct `record`.
inline uint64_t member_key(uint32_t record, uint32_t member) {
  return uint64_t{record} << 32 | member;
}

/// Comments on members, by member_key().
using MemberNotes = std::unordered_map<uint64_t, std::string>;

/// What a printer must know of a choice.
struct PrintedChoice {
  bool is_part = false;       ///< of the types of a blob
  TypeKeys declared = {};     ///< the declarations to print though nothing needs them
  TypeKeys omitted = {};      ///< the types not to print
  TypeKeys partial = {};      ///< structs and unions with some of their members
  TypeKeys taken_along = {};  ///< "struct task.pid": members in anonymous structs of wanted ones
  std::string includes = {};  ///< text before the types
  MemberNotes notes = {};
};

/// A blob, in byte order `order`, of the chosen types of `btf` and of what they need, without a
/// base. Notes in `choice` which patterns matched, and adds to `printed`. Errors: those of
/// BtfBuilder::finish().
std::expected<std::vector<std::byte>, Error> select_types(const BtfView& btf, std::endian order,
                                                          TypeChoice& choice,
                                                          PrintedChoice& printed);

/// What differs in the members of structs that inputs define differently: an older kernel lacks
/// one, or has it at another place. Not of members `taken_along`, which the others may have
/// elsewhere. Errors: structs contain each other in so many ways that their members are too many.
std::expected<MemberNotes, Error> compare_members(const Explainable& result,
                                                  const TypeKeys& taken_along);

/// print_c_header() of chosen types.
std::string print_c_header(const BtfView& btf, const PrintedChoice& choice);

}  // namespace bpflink
