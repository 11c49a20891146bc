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
  const StringTable& all = table.strings();
  strings_begin_ = all.begin();
  size_t count = std::max<size_t>(types.string_end(), strings_begin_) - strings_begin_ + 1;
  if (strings_.size() < count ||
      uint64_t{first_known_} + all.size() + strings_begin_ + all.limit() > UINT32_MAX) {
    strings_.assign(count, 0);
    first_known_ = 1;
  } else {
    first_known_ += all.size();
  }
  if (strings_begin_ == 0) strings_[0] = first_known_;  // the empty one
}

uint32_t CurrentInput::new_string(uint32_t offset) {
  uint32_t known = table.strings().intern(text(offset));
  strings_[offset - strings_begin_] = known + first_known_;
  return known;
}

/// has_string() for a string that is new in this input. Comparing two strings is faster than
/// finding one in the table.
bool CurrentInput::has_new_string(uint32_t offset, uint32_t wanted) {
  if (std::strcmp(text(offset), table.strings().text(wanted)) != 0) return false;
  strings_[offset - strings_begin_] = wanted + first_known_;
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
