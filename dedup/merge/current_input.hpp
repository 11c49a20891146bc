// The input that is being classified, and what is known of its types and strings so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/merge/class_table.hpp"

namespace bpflink {

/// Replaces the class of an omitted type.
inline constexpr uint32_t omitted_class = UINT32_MAX;

// While the class of a type is not known, its place holds 0 or these bits.
/// The search is at the types that it refers to.
inline constexpr uint32_t in_progress_bit = 0x20000000;
/// It is an anchor; the bits below in_progress_bit are the anchor's number.
inline constexpr uint32_t is_anchor_bit = 0x40000000;

/// A reference that is not known yet. No reference in a key equals it.
inline constexpr Reference unknown_reference = UINT32_MAX;

/// Whether the place of a type's class holds a class.
inline bool is_class(uint32_t known) {
  return known - 1 < in_progress_bit - 1;
}

class CurrentInput {
 public:
  explicit CurrentInput(ClassTable& table) : table(table) {}

  /// See Classifier::begin().
  void begin(const BtfView& view, std::span<const uint32_t> classes_of_base,
             std::span<uint32_t> classes_of_types);

  /// The class of a type, or what is known instead (see above).
  uint32_t& class_of(uint32_t id) { return classes_[id - types.first_id()]; }
  const uint32_t* words_of(uint32_t id) const { return types.first_word(id); }

  // `at > offset` is `offset < strings_begin_`, but one instruction subtracts and compares.

  /// The table's offset of a string of the input.
  uint32_t string(uint32_t offset) {
    uint32_t at = offset - strings_begin_;
    if (at > offset) return string_of_base(offset);
    uint32_t known = strings_[at];
    return known >= first_known_ ? known - first_known_ : new_string(offset);
  }
  /// Whether a string of the input is the one at offset `wanted` of the table.
  bool has_string(uint32_t offset, uint32_t wanted) {
    uint32_t at = offset - strings_begin_;
    if (at > offset) return string_of_base(offset) == wanted;
    uint32_t known = strings_[at];
    return known == wanted + first_known_ ||
           (known < first_known_ && has_new_string(offset, wanted));
  }

  /// The reference to a type, or `unknown_reference` if its class is needed and not known.
  Reference reference(uint32_t id) {
    if (id < types.first_id()) return table.reference_to(base_classes_[id]);
    uint32_t known = class_of(id);
    if (is_class(known)) return table.reference_to(known);
    return reference_without_class(id);
  }
  /// The same for a type that has no class.
  Reference reference_without_class(uint32_t id);

  ClassTable& table;
  BtfView types;
  /// Whether a type that stays refers to an omitted one.
  bool found_omission = false;

 private:
  uint32_t string_of_base(uint32_t offset) {
    return offset == 0 ? 0 : table.strings().intern_of_base(offset);
  }
  const char* text(uint32_t offset) const {
    return types.strings().data() + (offset - strings_begin_);
  }
  uint32_t new_string(uint32_t offset);
  bool has_new_string(uint32_t offset, uint32_t wanted);

  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  uint32_t strings_begin_ = 0;  ///< where the offsets of strings end that the table's base has
  /// By string offset of the input, from there on: the table's and `first_known_`, or less if it is
  /// not yet known. What earlier inputs wrote is less, so nothing is cleared between them.
  LargeVector<uint32_t> strings_;
  uint32_t first_known_ = 1;
};

}  // namespace bpflink
