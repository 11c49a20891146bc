#include "dedup/merge/current_input.hpp"

namespace bpflink {

void CurrentInput::begin(const BtfView& view, std::span<const uint32_t> classes_of_base,
                         std::span<uint32_t> classes_of_types) {
  bool has_same_strings = view.strings().data() == types.strings().data() &&
                          view.string_end() == types.string_end() && view.base() == types.base();
  types = view;
  base_classes_ = classes_of_base;
  classes_ = classes_of_types;
  if (has_same_strings) return;  // all units of DWARF
  for (uint32_t index : known_strings_) strings_[index] = 0;
  known_strings_.clear();
  strings_begin_ = table.strings().begin();
  size_t end = types.string_end();
  if (size_t count = end - std::min<size_t>(end, strings_begin_); strings_.size() < count)
    strings_.assign(std::max(count, 2 * strings_.size()), 0);
}

[[gnu::always_inline]] inline void CurrentInput::note_string(uint32_t offset, uint32_t known) {
  if (known == 0) return;  // the empty one
  strings_[offset - strings_begin_] = known;
  known_strings_.push_back(offset - strings_begin_);
}

uint32_t CurrentInput::new_string(uint32_t offset) {
  uint32_t known = table.strings().intern(text(offset));
  note_string(offset, known);
  return known;
}

/// has_string() for a string that is new in this input. Comparing two strings is faster than
/// finding one in the table.
bool CurrentInput::has_new_string(uint32_t offset, uint32_t wanted) {
  if (wanted == 0) return string(offset) == wanted;
  if (std::strcmp(text(offset), table.strings().text(wanted)) != 0) return false;
  note_string(offset, wanted);
  return true;
}

Reference CurrentInput::reference_without_class(uint32_t id) {
  uint32_t& known = class_of(id);
  if (known == omitted_class) found_omission = true;
  if (known == omitted_class || known == in_progress_bit) return unknown_reference;
  if (known != 0) return anchor_bit | (known & (in_progress_bit - 1));
  const uint32_t* words = words_of(id);
  TagSpace space = tag_space(words);
  if (space == TagSpace::None) return unknown_reference;
  uint32_t name = string(words[0]);
  if (name == 0) return unknown_reference;
  uint32_t anchor = table.intern_anchor(space, name);
  known = is_anchor_bit | anchor;
  return anchor_bit | anchor;
}

}  // namespace bpflink
