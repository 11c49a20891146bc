// The words of each kind of type: how many there are, and which of them are string offsets and type
// ids. Section 2.2 of btf.rst as a table.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The words that every type begins with: name, info, and size or type.
inline constexpr uint32_t common_words = 3;

/// The number of kinds that the library knows, including void.
inline constexpr size_t known_kinds = static_cast<size_t>(BtfKind::Enum64) + 1;

/// A set of known kinds, tested with one shift.
class KindSet {
 public:
  constexpr KindSet(std::initializer_list<BtfKind> kinds) {
    for (BtfKind kind : kinds) bits_ |= uint32_t{1} << static_cast<uint32_t>(kind);
  }
  /// `kind` must be known.
  constexpr bool contains(BtfKind kind) const {
    return (bits_ >> static_cast<uint32_t>(kind) & 1) != 0;
  }

 private:
  uint32_t bits_ = 0;
};

/// How types of one kind are encoded.
struct KindLayout {
  uint8_t fixed_words = 0;    ///< words after the common three, before the elements
  uint8_t element_words = 0;  ///< words of each of the vlen elements
  bool refers = false;        ///< the third common word is a type id
  int8_t element_name = -1;   ///< which word of an element is a string offset
  int8_t element_type = -1;   ///< which word of an element is a type id
};

inline constexpr std::array<KindLayout, known_kinds> kind_layouts = [] {
  std::array<KindLayout, known_kinds> layouts{};
  auto set = [&](BtfKind kind, KindLayout layout) { layouts[static_cast<size_t>(kind)] = layout; };
  constexpr KindLayout reference{.refers = true};
  constexpr KindLayout members{.element_words = 3, .element_name = 0, .element_type = 1};
  set(BtfKind::Int, {.fixed_words = 1});
  set(BtfKind::Ptr, reference);
  set(BtfKind::Array, {.fixed_words = 3});
  set(BtfKind::Struct, members);
  set(BtfKind::Union, members);
  set(BtfKind::Enum, {.element_words = 2, .element_name = 0});
  set(BtfKind::Typedef, reference);
  set(BtfKind::Volatile, reference);
  set(BtfKind::Const, reference);
  set(BtfKind::Restrict, reference);
  set(BtfKind::Func, reference);
  set(BtfKind::FuncProto,
      {.element_words = 2, .refers = true, .element_name = 0, .element_type = 1});
  set(BtfKind::Var, {.fixed_words = 1, .refers = true});
  set(BtfKind::Datasec, {.element_words = 3, .element_type = 0});
  set(BtfKind::DeclTag, {.fixed_words = 1, .refers = true});
  set(BtfKind::TypeTag, reference);
  set(BtfKind::Enum64, {.element_words = 3, .element_name = 0});
  return layouts;
}();

/// How a kind is encoded. An unknown kind has no references and no strings, as far as is known.
inline KindLayout kind_layout(BtfKind kind) {
  return is_known(kind) ? kind_layouts[static_cast<size_t>(kind)] : KindLayout{};
}

/// Encoding bits of an INT, in BtfType::int_data(). Not all compilers set the second for `char`.
inline constexpr uint32_t int_signed_bit = 1u << 24, int_char_bit = 1u << 25;

/// The largest string offset that kernels take.
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
inline bool kind_flag_of(const uint32_t* words) {
  return words[1] >> 31;
}

/// The number of words of a type, or 0 if the library does not know its kind. The size of the most
/// common kinds follows from a branch, which the processor predicts: then it knows where the next
/// type begins before it has read this one. Branches for more kinds cost more in wrong predictions
/// than they gain.
inline size_t known_size(const uint32_t* words) {
  constexpr KindSet of_three_words{BtfKind::Ptr,   BtfKind::Typedef,  BtfKind::Volatile,
                                   BtfKind::Const, BtfKind::Restrict, BtfKind::Fwd,
                                   BtfKind::Func};
  BtfKind kind = kind_of(words);
  if (kind == BtfKind::Void || !is_known(kind)) return 0;
  if (of_three_words.contains(kind)) return common_words;
  KindLayout layout = kind_layouts[static_cast<size_t>(kind)];
  return common_words + layout.fixed_words + size_t{vlen_of(words)} * layout.element_words;
}

/// Whether types of a kind are objects, which are never merged: two variables of one name are two
/// variables. Unknown kinds count as objects, because their equal words may mean different things.
inline bool is_object(BtfKind kind) {
  return kind == BtfKind::Var || kind == BtfKind::Datasec || !is_known(kind);
}

/// Whether types of a kind contain no other types by value. True for unknown kinds.
inline bool is_leaf(BtfKind kind) {
  constexpr KindSet leaves{BtfKind::Int,       BtfKind::Ptr,   BtfKind::Enum,  BtfKind::Fwd,
                           BtfKind::FuncProto, BtfKind::Float, BtfKind::Enum64};
  return !is_known(kind) || leaves.contains(kind);
}

/// The name spaces of C's tags.
enum class TagSpace : uint8_t { structs, unions, enums, none };

/// By the upper 8 bits of a type's second word: its kind flag and kind.
inline constexpr std::array<TagSpace, 256> tag_spaces = [] {
  constexpr size_t kind_flag = 0x80;
  std::array<TagSpace, 256> spaces;
  spaces.fill(TagSpace::none);
  for (size_t flag : {size_t{0}, kind_flag}) {
    auto set = [&](BtfKind kind, TagSpace space) {
      spaces[flag | std::to_underlying(kind)] = space;
    };
    set(BtfKind::Struct, TagSpace::structs);
    set(BtfKind::Union, TagSpace::unions);
    set(BtfKind::Enum, TagSpace::enums);
    set(BtfKind::Enum64, TagSpace::enums);
    set(BtfKind::Fwd, flag != 0 ? TagSpace::unions : TagSpace::structs);
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

/// Whether a type is a forward declaration: a FWD, or an enum without enumerators.
inline bool is_declaration(const uint32_t* words) {
  BtfKind kind = kind_of(words);
  return kind == BtfKind::Fwd || (is_enum(kind) && vlen_of(words) == 0);
}
inline bool is_declaration(BtfType type) {
  return is_declaration(type.words().data());
}

/// Calls `visit(word)` for each word of a type that is a type id, in order.
template <class Word, class Visit>
void for_each_reference(std::span<Word> words, Visit&& visit) {
  BtfKind kind = kind_of(words.data());
  KindLayout layout = kind_layout(kind);
  if (layout.refers) visit(words[2]);
  if (kind == BtfKind::Array) {
    visit(words[3]);
    visit(words[4]);
  }
  if (layout.element_type < 0) return;
  for (size_t i = common_words; i < words.size(); i += layout.element_words)
    visit(words[i + layout.element_type]);
}

/// Calls `visit(word)` for each word of a type that is a string offset, in order.
template <class Word, class Visit>
void for_each_string(std::span<Word> words, Visit&& visit) {
  visit(words[0]);
  KindLayout layout = kind_layout(kind_of(words.data()));
  if (layout.element_name < 0) return;
  for (size_t i = common_words; i < words.size(); i += layout.element_words)
    visit(words[i + layout.element_name]);
}

}  // namespace bpflink
