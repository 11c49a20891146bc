// The input that is being classified, and what is known of it so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

/// What stands for the class of an omitted type.
inline constexpr uint32_t omitted_class = UINT32_MAX;

// What stands for a class that is not known yet: 0, or any of these bits.
/// The types that this one refers to are being looked at.
inline constexpr uint32_t open_bit = 0x20000000;
/// The type is an anchor; which one, the bits below open_bit tell.
inline constexpr uint32_t is_anchor_bit = 0x40000000;

/// Stands for a reference that is not known yet; equals none in a key.
inline constexpr Reference unknown_reference = UINT32_MAX;

inline bool is_class(uint32_t known) {
  return known - 1 < open_bit - 1;
}

/// One input after the other.
class OpenInput {
 public:
  explicit OpenInput(ClassTable& table) : table(table) {}

  /// See Classifier::begin().
  void begin(const BtfView& view, std::span<const uint32_t> classes_of_base,
             std::span<uint32_t> classes_of_types);

  /// Which types are of what class: its number, or what is known instead.
  uint32_t& class_of(uint32_t id) { return classes_[id - types.first_id()]; }
  const uint32_t* words_of(uint32_t id) const { return types.first_word(id); }

  /// The table's offset of a string of the input.
  uint32_t string(uint32_t offset) {
    if (strings_[offset] == 0 && offset != 0)
      note_string(offset, table.strings().intern(text(offset)));
    return strings_[offset];
  }
  /// Whether a string of the input is the one at that offset of the table.
  bool has_string(uint32_t offset, uint32_t wanted) {
    uint32_t known = strings_[offset];
    if (known != 0 || offset == 0) return known == wanted;
    return has_other_string(offset, wanted);
  }

  /// The reference to a type, if it is known without following others.
  Reference reference(uint32_t id) {
    if (id < types.first_id()) return table.reference_to(base_classes_[id]);
    uint32_t known = class_of(id);
    if (is_class(known)) return table.reference_to(known);
    return reference_to_unassigned(id);
  }
  /// The same for a type that has no class.
  Reference reference_to_unassigned(uint32_t id);

  ClassTable& table;
  BtfView types;
  /// Whether a type that stays refers to one that is omitted.
  bool found_omission = false;

 private:
  const char* text(uint32_t offset) const {
    uint32_t begin = types.string_begin();
    return offset >= begin ? types.strings().data() + (offset - begin)
                           : types.string(offset).data();
  }
  void note_string(uint32_t offset, uint32_t known);
  bool has_other_string(uint32_t offset, uint32_t wanted);

  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  /// The table's offset by the input's; 0 if not yet known.
  std::vector<uint32_t> strings_;
  /// The indexes whose element of `strings_` is not 0: few of many inputs' elements are
  /// used, and to forget these takes less than to fill all with 0.
  std::vector<uint32_t> known_strings_;
};

}  // namespace bpflink
