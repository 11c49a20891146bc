// What the words of each kind of type mean: how many there are, and which of
// them are string offsets and type ids. btf.rst section 2.2 as a table.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The words of every type before those that its kind adds.
inline constexpr uint32_t common_words = 3;

/// The shape of the types of one kind.
struct KindLayout {
  uint8_t fixed_words = 0;    ///< words after the common three, before the elements
  uint8_t element_words = 0;  ///< words of each of the vlen elements
  bool refers = false;        ///< the third common word is a type id
  int8_t element_name = -1;   ///< which word of an element is a string offset
  int8_t element_type = -1;   ///< which word of an element is a type id
};

inline constexpr std::array<KindLayout, BTF_KIND_END> kind_layouts = [] {
  std::array<KindLayout, BTF_KIND_END> shapes{};
  constexpr KindLayout reference{.refers = true};
  constexpr KindLayout members{.element_words = 3, .element_name = 0, .element_type = 1};
  shapes[BTF_KIND_INT] = {.fixed_words = 1};
  shapes[BTF_KIND_PTR] = reference;
  shapes[BTF_KIND_ARRAY] = {.fixed_words = 3};
  shapes[BTF_KIND_STRUCT] = members;
  shapes[BTF_KIND_UNION] = members;
  shapes[BTF_KIND_ENUM] = {.element_words = 2, .element_name = 0};
  shapes[BTF_KIND_TYPEDEF] = reference;
  shapes[BTF_KIND_VOLATILE] = reference;
  shapes[BTF_KIND_CONST] = reference;
  shapes[BTF_KIND_RESTRICT] = reference;
  shapes[BTF_KIND_FUNC] = reference;
  shapes[BTF_KIND_FUNC_PROTO] = {
      .element_words = 2, .refers = true, .element_name = 0, .element_type = 1};
  shapes[BTF_KIND_VAR] = {.fixed_words = 1, .refers = true};
  shapes[BTF_KIND_DATASEC] = {.element_words = 3, .element_type = 0};
  shapes[BTF_KIND_DECL_TAG] = {.fixed_words = 1, .refers = true};
  shapes[BTF_KIND_TYPE_TAG] = reference;
  shapes[BTF_KIND_ENUM64] = {.element_words = 3, .element_name = 0};
  return shapes;
}();

/// The shape of a kind; of one that this library does not know, that of a type
/// whose words are carried as they are.
inline KindLayout kind_layout(uint8_t kind) {
  return kind < BTF_KIND_END ? kind_layouts[kind] : KindLayout{};
}

/// The largest string offset that kernels take.
inline constexpr uint32_t max_string_offset = 0xffffff;

/// The largest vlen of the classic form.
inline constexpr uint32_t max_classic_vlen = 0xffff;

// The words of a type, as BtfType reads them.
inline uint8_t kind_of(const uint32_t* words) {
  return (words[1] >> 24) & 0x7f;
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
inline bool is_object(uint8_t kind) {
  return kind == BTF_KIND_VAR || kind == BTF_KIND_DATASEC || kind >= BTF_KIND_END;
}

/// Whether types of a kind contain no others by value, or nothing is known of it.
inline bool is_leaf(uint8_t kind) {
  constexpr uint32_t leaves = 1 << BTF_KIND_INT | 1 << BTF_KIND_PTR | 1 << BTF_KIND_ENUM |
                              1 << BTF_KIND_FWD | 1 << BTF_KIND_FUNC_PROTO | 1 << BTF_KIND_FLOAT |
                              1 << BTF_KIND_ENUM64;
  return kind >= BTF_KIND_END || (leaves >> kind & 1) != 0;
}

/// Calls `visit(word)` for each word of a type that is a type id, in order.
template <class Word, class Visit>
void for_each_reference(std::span<Word> words, Visit&& visit) {
  uint8_t kind = kind_of(words.data());
  KindLayout shape = kind_layout(kind);
  if (shape.refers) visit(words[2]);
  if (kind == BTF_KIND_ARRAY) {
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
