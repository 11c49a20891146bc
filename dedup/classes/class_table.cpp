#include "dedup/classes/class_table.hpp"

#include <cstring>
#include <utility>

#include "dedup/classes/zeroed_array.hpp"

namespace bpflink {

size_t TypeTable::expect(size_t words) {
  // A guess that costs nothing where it is too large. What is small grows fast.
  constexpr size_t large = 1 << 20;
  if (words < large) return class_count();
  size_t new_words = words / 16;
  size_t new_classes = new_words / 20;
  words_.reserve(words_.size() + new_words);
  extents_.reserve(extents_.size() + new_classes);
  anchors_of_.reserve(anchors_of_.size() + new_classes);
  references_.reserve(references_.size() + new_classes);
  index_.reserve(extents_.size() + new_classes);
  return extents_.capacity();
}

uint32_t TypeTable::intern_anchor(TagSpace space, uint32_t name) {
  uint64_t tag = uint64_t{static_cast<uint32_t>(space)} << 32 | name;
  uint32_t hash = hash_bytes(&tag, sizeof tag);
  uint32_t found =
      anchor_index_.find(hash, [&](uint32_t anchor) { return anchor_tags_[anchor] == tag; });
  if (found != 0) return found;
  auto anchor = static_cast<uint32_t>(anchor_tags_.size());
  anchor_tags_.push_back(tag);
  anchor_index_.insert(hash, anchor);
  return anchor;
}

bool TypeTable::has_words(uint32_t type_class, std::span<const uint32_t> words) const {
  Extent extent = extents_[type_class];
  return extent.count == words.size() &&
         std::memcmp(&words_[extent.start], words.data(), words.size_bytes()) == 0;
}

uint32_t TypeTable::intern(std::span<const uint32_t> words) {
  uint32_t hash = hash_bytes(words.data(), words.size_bytes());
  uint32_t found =
      index_.find(hash, [&](uint32_t type_class) { return has_words(type_class, words); });
  if (found != 0) return found;
  uint32_t type_class = add(words);
  index_.insert(hash, type_class);
  return type_class;
}

uint32_t TypeTable::add(std::span<const uint32_t> words) {
  uint32_t type_class = class_count();
  extents_.emplace_back();
  anchors_of_.push_back(0);
  references_.push_back(0);
  is_local_.push_back(false);
  define(type_class, words);
  return type_class;
}

uint32_t TypeTable::reserve() {
  uint32_t type_class = class_count();
  extents_.emplace_back();
  anchors_of_.push_back(0);
  references_.push_back(type_class);
  is_local_.push_back(true);
  reserved_.push_back(type_class);
  return type_class;
}

void TypeTable::define(uint32_t type_class, std::span<const uint32_t> words) {
  extents_[type_class] = {static_cast<uint32_t>(words_.size()),
                          static_cast<uint32_t>(words.size())};
  words_.insert(words_.end(), words.begin(), words.end());
  TagSpace space = tag_space(words.data());
  uint32_t& anchor = anchors_of_[type_class];
  if (space != TagSpace::none && words[0] != 0) anchor = intern_anchor(space, words[0]);
  // What was reserved has been referred to as a class already.
  if (references_[type_class] == 0)
    references_[type_class] = anchor != 0 ? anchor_bit | anchor : type_class;
}

std::vector<uint32_t> TypeTable::absorb(const TypeTable& other, std::vector<uint32_t> known) {
  std::vector<uint32_t> classes = std::move(known);
  classes.resize(other.class_count());
  uint32_t same_strings = strings_.shared_end(other.strings());
  ZeroedWords strings(other.strings().size());
  auto string = [&](uint32_t offset) {
    if (offset < same_strings) return offset;
    if (offset != 0 && strings[offset] == 0)
      strings[offset] = strings_.intern(other.strings().at(offset));
    return strings[offset];
  };
  std::vector<uint32_t> anchors(other.anchor_count());
  for (uint32_t anchor = 1; anchor < other.anchor_count(); ++anchor)
    anchors[anchor] = intern_anchor(other.anchor_space(anchor), string(other.anchor_name(anchor)));

  // To grow as words come would take twice the room in the end, and both at a time.
  words_.reserve(words_.size() + other.words_.size());
  // A class has a higher number than those that it refers to.
  std::vector<uint32_t> form;
  uint32_t last = 0;
  for (uint32_t c = 1; c < other.class_count(); ++c) {
    if (classes[c] != 0) continue;
    std::span<const uint32_t> words = other.words(c);
    form.assign(words.begin(), words.end());
    for_each_string(std::span(form), [&](uint32_t& offset) { offset = string(offset); });
    for_each_reference(std::span(form), [&](Reference& r) {
      r = r & anchor_bit ? anchor_bit | anchors[r & ~anchor_bit] : classes[r];
    });
    if (is_object(form.data()))
      classes[c] = add(form);
    else if (last + 1 < class_count() && !is_local(last + 1) &&
             has_words(last + 1, form))  // both tables met the types in much the same order
      classes[c] = last + 1;
    else
      classes[c] = intern(form);
    last = classes[c];
  }
  return classes;
}

}  // namespace bpflink
