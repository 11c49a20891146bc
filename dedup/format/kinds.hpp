// What the words of each kind of type mean: how many there are, and which of
// them are string offsets and type ids. btf.rst section 2.2 as a table.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The words of every type before those that its kind adds.
inline constexpr uint32_t common_words = 3;

/// How many kinds the library knows, void included.
inline constexpr size_t known_kinds = static_cast<size_t>(BtfKind::Enum64) + 1;

/// Kinds that are known, as a set that is tested with one shift.
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

/// The shape of the types of one kind.
struct KindLayout {
  uint8_t fixed_words = 0;    ///< words after the common three, before the elements
  uint8_t element_words = 0;  ///< words of each of the vlen elements
  bool refers = false;        ///< the third common word is a type id
  int8_t element_name = -1;   ///< which word of an element is a string offset
  int8_t element_type = -1;   ///< which word of an element is a type id
};

inline constexpr std::array<KindLayout, known_kinds> kind_layouts = [] {
  std::array<KindLayout, known_kinds> shapes{};
  auto set = [&](BtfKind kind, KindLayout layout) { shapes[static_cast<size_t>(kind)] = layout; };
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
  return shapes;
}();

/// The shape of a kind; of one that this library does not know, that of a type
/// whose words are carried as they are.
inline KindLayout kind_layout(BtfKind kind) {
  return is_known(kind) ? kind_layouts[static_cast<size_t>(kind)] : KindLayout{};
}

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

/// Whether types of a kind are objects rather than types: two variables of one
/// name are two variables, and never merged. Of a kind that the library does not
/// know nobody can say whether words that are equal mean the same.
inline bool is_object(BtfKind kind) {
  return kind == BtfKind::Var || kind == BtfKind::Datasec || !is_known(kind);
}

/// Whether types of a kind contain no others by value, or nothing is known of it.
inline bool is_leaf(BtfKind kind) {
  constexpr KindSet leaves{BtfKind::Int,       BtfKind::Ptr,   BtfKind::Enum,  BtfKind::Fwd,
                           BtfKind::FuncProto, BtfKind::Float, BtfKind::Enum64};
  return !is_known(kind) || leaves.contains(kind);
}

/// Calls `visit(word)` for each word of a type that is a type id, in order.
template <class Word, class Visit>
void for_each_reference(std::span<Word> words, Visit&& visit) {
  BtfKind kind = kind_of(words.data());
  KindLayout shape = kind_layout(kind);
  if (shape.refers) visit(words[2]);
  if (kind == BtfKind::Array) {
    visit(words[3]);
    visit(words[4]);
  }
  if (shape.element_type < 0) return;
  for (size_t i = common_words; i < words.size(); i += shape.element_words)
    visit(words[i + shape.element_type]);
}

/// Calls `visit(word)` for each word of a type that is a string offset, in order.
template <class Word, class Visit>
void for_each_string(std::span<Word> words, Visit&& visit) {
  visit(words[0]);
  KindLayout shape = kind_layout(kind_of(words.data()));
  if (shape.element_name < 0) return;
  for (size_t i = common_words; i < words.size(); i += shape.element_words)
    visit(words[i + shape.element_name]);
}

}  // namespace bpflink
