// The kinds of types: section 2.2 of btf.rst as a table. A row says which words encode a type, and
// all that walks over words follows it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "bpflink/btf.hpp"
#include "bpflink/check.hpp"

namespace bpflink {

/// The words that every type begins with: name, info, and size or type.
inline constexpr uint32_t common_words = 3;
/// Where the words begin whose meaning depends on the kind: behind name and info.
inline constexpr uint32_t head_start = 2;

/// The number of kinds that the library knows, including void.
inline constexpr size_t known_kinds = static_cast<size_t>(last_btf_kind) + 1;

/// A set of known kinds, tested with one shift.
class KindSet {
 public:
  constexpr KindSet(std::initializer_list<BtfKind> kinds) {
    for (BtfKind kind : kinds) insert(kind);
  }
  constexpr void insert(BtfKind kind) { bits_ |= uint32_t{1} << static_cast<uint32_t>(kind); }
  /// `kind` must be known.
  constexpr bool contains(BtfKind kind) const {
    return (bits_ >> static_cast<uint32_t>(kind) & 1) != 0;
  }

 private:
  uint32_t bits_ = 0;
};

/// What a word of a type says.
enum class WordRole : uint8_t {
  None,    ///< there is no such word
  Number,  ///< a number, or nothing
  Size,    ///< bytes of the type
  Name,    ///< a string offset
  Id,      ///< of a type
};

/// The roles of consecutive words.
using WordRoles = std::array<WordRole, 4>;
constexpr size_t count_of(const WordRoles& roles) {
  return roles.size() - static_cast<size_t>(std::ranges::count(roles, WordRole::None));
}

/// How types of one kind are encoded: name and info, the words of `head`, then vlen elements.
struct KindLayout {
  WordRoles head = {WordRole::Number};  ///< the third common word, and those that a kind adds
  WordRoles element = {};               ///< the words of each element
};

/// Some of the words of a kind. Bit i of `head` is for word 2 + i of a type, bit i of `element` for
/// word i of an element.
struct WordSet {
  uint8_t head = 0, element = 0;
};

/// What kernels require of the name of a type.
enum class NameRule : uint8_t {
  Any,
  None,
  Optional,  ///< an identifier or none
  Needed,    ///< an identifier
  Section,   ///< a section's name
  Text,      ///< a text that is not empty
};

/// What types of a kind are. Code that treats kinds alike asks for this, so that a new kind of a
/// class that is there is a row.
enum class KindClass : uint8_t {
  None,  ///< void, and kinds that the library does not know
  Integer,
  Floating,
  Pointer,
  Array,
  Record,
  Enumeration,
  Declaration,  ///< of a record that is defined elsewhere
  Modifier,     ///< another type, by a name or with a qualifier
  Function,
  Prototype,
  Variable,
  Section,
  Tag,
};

/// A row of the table of kinds.
struct KindRow {
  BtfKind kind;
  KindClass kind_class;
  std::string_view name;  ///< btf_kind_name()
  std::string_view noun;  ///< what reports call a type of the kind
  NameRule name_rule;
  LinuxRelease since;  ///< the first release that knows the kind
  KindLayout layout;
  std::string_view element = {};  ///< what messages call an element
};

/// The table of kinds.
inline constexpr auto kind_table = [] {
  using enum BtfKind;
  using enum NameRule;
  using Class = KindClass;
  constexpr WordRole number = WordRole::Number, size = WordRole::Size, name = WordRole::Name,
                     id = WordRole::Id;
  // clang-format off
  return std::to_array<KindRow>({
      {Void,      Class::None,        "VOID",       "void",          None,     {4, 18}, {}},
      {Int,       Class::Integer,     "INT",        "integer",       Any,      {4, 18}, {{size, number}}},
      {Ptr,       Class::Pointer,     "PTR",        "pointer",       None,     {4, 18}, {{id}}},
      {Array,     Class::Array,       "ARRAY",      "array",         None,     {4, 18}, {{number, id, id, number}}},
      {Struct,    Class::Record,      "STRUCT",     "struct",        Optional, {4, 18}, {{size}, {name, id, number}}, "member"},
      {Union,     Class::Record,      "UNION",      "union",         Optional, {4, 18}, {{size}, {name, id, number}}, "member"},
      {Enum,      Class::Enumeration, "ENUM",       "enum",          Optional, {4, 18}, {{size}, {name, number}}, "enumerator"},
      {Fwd,       Class::Declaration, "FWD",        "struct",        Needed,   {4, 18}, {{number}}},
      {Typedef,   Class::Modifier,    "TYPEDEF",    "typedef",       Needed,   {4, 18}, {{id}}},
      {Volatile,  Class::Modifier,    "VOLATILE",   "volatile",      None,     {4, 18}, {{id}}},
      {Const,     Class::Modifier,    "CONST",      "const",         None,     {4, 18}, {{id}}},
      {Restrict,  Class::Modifier,    "RESTRICT",   "restrict",      None,     {4, 18}, {{id}}},
      {Func,      Class::Function,    "FUNC",       "function type", Needed,   {5, 0},  {{id}}},
      {FuncProto, Class::Prototype,   "FUNC_PROTO", "prototype",     None,     {5, 0},  {{id}, {name, id}}, "parameter"},
      {Var,       Class::Variable,    "VAR",        "variable type", Needed,   {5, 2},  {{id, number}}},
      {Datasec,   Class::Section,     "DATASEC",    "section",       Section,  {5, 2},  {{size}, {id, number, number}}, "variable"},
      {Float,     Class::Floating,    "FLOAT",      "float",         Any,      {5, 13}, {{size}}},
      {DeclTag,   Class::Tag,         "DECL_TAG",   "tag",           Text,     {5, 16}, {{id, number}}},
      {TypeTag,   Class::Modifier,    "TYPE_TAG",   "type tag",      Text,     {5, 17}, {{id}}},
      {Enum64,    Class::Enumeration, "ENUM64",     "enum",          Optional, {6, 0},  {{size}, {name, number, number}}, "enumerator"},
  });
  // clang-format on
}();
static_assert(kind_table.size() == known_kinds &&
              std::ranges::equal(kind_table, std::views::iota(size_t{0}, known_kinds), {},
                                 [](const KindRow& row) { return static_cast<size_t>(row.kind); }));

/// The row of a known kind.
constexpr const KindRow& kind_row(BtfKind kind) {
  return kind_table[static_cast<size_t>(kind)];
}

/// The class of a kind, `None` if it is unknown.
constexpr KindClass kind_class(BtfKind kind) {
  return is_known(kind) ? kind_row(kind).kind_class : KindClass::None;
}

/// What walks need of a row.
struct KindWords {
  uint8_t head_words = 0, element_words = 0;
  WordSet ids, names, numbers;  ///< sizes are among the numbers
  bool has_size = false;
};

/// By kind. An unknown kind has no ids and no strings, as far as is known.
inline constexpr auto kind_words_table = [] {
  std::array<KindWords, 128> table{};
  for (const KindRow& row : kind_table) {
    KindWords& words = table[static_cast<size_t>(row.kind)];
    auto find = [&](WordRole role) {
      WordSet found;
      for (size_t i = 0; i < row.layout.head.size(); ++i) {
        found.head |= (row.layout.head[i] == role) << i;
        found.element |= (row.layout.element[i] == role) << i;
      }
      return found;
    };
    words.ids = find(WordRole::Id), words.names = find(WordRole::Name);
    words.numbers = find(WordRole::Number);
    words.has_size = row.layout.head[0] == WordRole::Size;
    words.numbers.head |= words.has_size ? 1 : 0;
    words.head_words = count_of(row.layout.head);
    words.element_words = count_of(row.layout.element);
  }
  return table;
}();
constexpr const KindWords& kind_words(BtfKind kind) {
  return kind_words_table[static_cast<size_t>(kind)];
}

/// The known kinds for whose rows `test` is true.
template <class Test>
constexpr KindSet kinds_with(Test test) {
  KindSet kinds{};
  for (const KindRow& row : kind_table)
    if (test(row)) kinds.insert(row.kind);
  return kinds;
}

/// The known kinds of some classes.
constexpr KindSet kinds_of(std::initializer_list<KindClass> classes) {
  return kinds_with([&](const KindRow& row) {
    return std::ranges::find(classes, row.kind_class) != classes.end();
  });
}
static_assert(std::ranges::all_of(kind_table, [](const KindRow& row) {
  return is_composite(row.kind) == (row.kind_class == KindClass::Record) &&
         is_enum(row.kind) == (row.kind_class == KindClass::Enumeration) &&
         is_modifier(row.kind) == (row.kind_class == KindClass::Modifier);
}));

/// Calls `visit` with a known kind as template argument, so that its row is a constant there.
/// Returns what that returns, or false for other kinds.
template <class Visit>
bool with_constant_kind(BtfKind kind, Visit visit) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    bool result = false;
    static_cast<void>((
        (kind == BtfKind{I} && ((result = visit.template operator()<BtfKind{I}>()), true)) || ...));
    return result;
  }
  (std::make_index_sequence<known_kinds>());
}

/// Whether types of a kind have a size of their own. Not of pointers and arrays.
constexpr bool has_size(BtfKind kind) {
  return kind_words(kind).has_size;
}
/// Whether types of a kind refer to others.
constexpr bool has_references(BtfKind kind) {
  return kind_words(kind).ids.head != 0 || kind_words(kind).ids.element != 0;
}
/// Whether a kind is of a program: FUNC, VAR, DATASEC and DECL_TAG. The other known ones are C's.
constexpr bool is_of_program(BtfKind kind) {
  using enum KindClass;
  constexpr KindSet kinds = kinds_of({Function, Variable, Section, Tag});
  return is_known(kind) && kinds.contains(kind);
}

/// BtfType::int_data() as kernels take it: gcc writes integers that are both signed and char.
constexpr uint32_t kernel_int_data(uint32_t data) {
  constexpr uint32_t signed_bit = btf_int_signed << 24, char_bit = btf_int_char << 24;
  return (data & signed_bit) != 0 ? data & ~char_bit : data;
}

/// The largest type id that kernels take, BTF_MAX_TYPE of include/uapi/linux/btf.h.
inline constexpr uint32_t max_type_id = 0xfffff;
/// The largest string offset that they take.
inline constexpr uint32_t max_string_offset = 0xffffff;

/// The largest vlen of the classic form.
inline constexpr uint32_t max_classic_vlen = 0xffff;

// The words of a type, as BtfType reads them.
inline BtfKind kind_of(const uint32_t* words) {
  return BtfKind((words[1] >> 24) & 0x7f);
}
inline uint32_t vlen_of(const uint32_t* words) {
  return words[1] & 0xffffff;
}

/// The number of words of a type, or 0 if the library does not know its kind. The size of the most
/// common kinds follows from a branch, which the processor predicts: then it knows where the next
/// type begins before it has read this one. Branches for more kinds cost more in wrong predictions
/// than they gain.
inline size_t known_size(const uint32_t* words) {
  constexpr KindSet of_three_words = kinds_with([](const KindRow& row) {
    const KindWords& layout = kind_words(row.kind);
    return layout.head_words == 1 && layout.element_words == 0;
  });
  BtfKind kind = kind_of(words);
  if (kind == BtfKind::Void || !is_known(kind)) return 0;
  if (of_three_words.contains(kind)) return common_words;
  const KindWords& layout = kind_words(kind);
  return head_start + layout.head_words + size_t{vlen_of(words)} * layout.element_words;
}

/// Whether types of a kind are objects, which are never merged: two variables of one name are two
/// variables. Unknown kinds count as objects, because their equal words may mean different things.
constexpr bool is_object(BtfKind kind) {
  constexpr KindSet kinds = kinds_of({KindClass::Variable, KindClass::Section});
  return !is_known(kind) || kinds.contains(kind);
}

/// Whether types of a kind contain no other types by value. True for unknown kinds.
constexpr bool is_leaf(BtfKind kind) {
  constexpr KindSet kinds = kinds_of({KindClass::Pointer, KindClass::Prototype});
  return !has_references(kind) || kinds.contains(kind);
}

/// The name spaces of C's tags.
enum class TagSpace : uint8_t { Structs, Unions, Enums, None };

/// By the upper 8 bits of a type's second word: its kind flag and kind.
inline constexpr std::array<TagSpace, 256> tag_spaces = [] {
  constexpr size_t kind_flag = 0x80;
  std::array<TagSpace, 256> spaces;
  spaces.fill(TagSpace::None);
  for (size_t flag : {size_t{0}, kind_flag}) {
    auto set = [&](BtfKind kind, TagSpace space) {
      spaces[flag | std::to_underlying(kind)] = space;
    };
    set(BtfKind::Struct, TagSpace::Structs);
    set(BtfKind::Union, TagSpace::Unions);
    set(BtfKind::Enum, TagSpace::Enums);
    set(BtfKind::Enum64, TagSpace::Enums);
    set(BtfKind::Fwd, flag != 0 ? TagSpace::Unions : TagSpace::Structs);
  }
  return spaces;
}();

/// The tag space of a type's kind, or `none`. The type has a tag only if it also has a name.
inline TagSpace tag_space(const uint32_t* words) {
  return tag_spaces[words[1] >> 24];
}
inline TagSpace tag_space(BtfType type) {
  return tag_space(type.words().data());
}

/// "struct", "union" or "enum", or "" if the type's kind has no tags.
inline std::string_view tag_keyword(BtfType type) {
  constexpr std::string_view keywords[] = {"struct", "union", "enum", ""};
  return keywords[std::to_underlying(tag_space(type))];
}

/// Whether a type is a forward declaration: a FWD, or an enum without enumerators.
inline bool is_declaration(const uint32_t* words) {
  BtfKind kind = kind_of(words);
  return kind == BtfKind::Fwd || (is_enum(kind) && vlen_of(words) == 0);
}
inline bool is_declaration(BtfType type) {
  return is_declaration(type.words().data());
}

/// Calls `visit(word)` for each word of a type that is in a set of its kind, in order.
template <class Word, class Visit>
void for_each_word(std::span<Word> words, WordSet set, Visit&& visit) {
  for (unsigned bits = set.head; bits != 0; bits &= bits - 1)
    visit(words[head_start + std::countr_zero(bits)]);
  if (set.element == 0) return;
  const KindWords& layout = kind_words(kind_of(words.data()));
  for (size_t i = head_start + layout.head_words; i < words.size(); i += layout.element_words)
    for (unsigned bits = set.element; bits != 0; bits &= bits - 1)
      visit(words[i + std::countr_zero(bits)]);
}

/// Calls `visit(word)` for each word of a type that is a type id, in order.
template <class Word, class Visit>
void for_each_reference(std::span<Word> words, Visit&& visit) {
  for_each_word(words, kind_words(kind_of(words.data())).ids, visit);
}

/// Calls `visit(word)` for each word of a type that is a string offset, in order.
template <class Word, class Visit>
void for_each_string(std::span<Word> words, Visit&& visit) {
  visit(words[0]);
  for_each_word(words, kind_words(kind_of(words.data())).names, visit);
}

}  // namespace bpflink
