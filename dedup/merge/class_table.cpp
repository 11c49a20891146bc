#include "dedup/merge/class_table.hpp"

#include <cstring>

namespace bpflink {

uint32_t ClassTable::intern_anchor(TagSpace space, uint32_t name) {
  uint64_t tag = uint64_t{static_cast<uint32_t>(space)} << 32 | name;
  uint32_t hash = hash_bytes(&tag, sizeof tag);
  uint32_t found =
      anchor_index_.find(hash, [&](uint32_t anchor) { return anchor_tags_[anchor] == tag; });
  if (found != 0) return found;
  uint32_t anchor = anchor_count();
  anchor_tags_.push_back(tag);
  anchor_index_.insert(hash, anchor);
  return anchor;
}

bool ClassTable::has_words(uint32_t type_class, std::span<const uint32_t> words) const {
  Extent extent = extents_[type_class];
  return extent.count == words.size() &&
         std::memcmp(&words_[extent.start], words.data(), words.size_bytes()) == 0;
}

uint32_t ClassTable::intern(std::span<const uint32_t> words) {
  uint32_t hash = hash_bytes(words.data(), words.size_bytes());
  uint32_t found =
      index_.find(hash, [&](uint32_t type_class) { return has_words(type_class, words); });
  if (found != 0) return found;
  uint32_t type_class = add(words);
  index_.insert(hash, type_class);
  return type_class;
}

uint32_t ClassTable::add(std::span<const uint32_t> words) {
  uint32_t type_class = add_private();
  is_private_[type_class] = 0;
  define(type_class, words);
  return type_class;
}

uint32_t ClassTable::add_private() {
  uint32_t type_class = class_count();
  extents_.emplace_back();
  anchors_of_.push_back(0);
  references_.push_back(type_class);
  is_private_.push_back(1);
  return type_class;
}

void ClassTable::define(uint32_t type_class, std::span<const uint32_t> words) {
  extents_[type_class] = {static_cast<uint32_t>(words_.size()),
                          static_cast<uint32_t>(words.size())};
  words_.insert(words_.end(), words.begin(), words.end());
  TagSpace space = tag_space(words.data());
  if (space == TagSpace::None || words[0] == 0) return;
  uint32_t anchor = intern_anchor(space, words[0]);
  anchors_of_[type_class] = anchor;
  references_[type_class] = anchor_bit | anchor;
}

std::vector<uint32_t> ClassTable::absorb(const ClassTable& other, Snapshot shared) {
  std::vector<uint32_t> strings(other.strings().size() - shared.strings);
  auto string = [&](uint32_t offset) {
    if (offset < shared.strings) return offset;
    uint32_t& known = strings[offset - shared.strings];
    if (known == 0) known = strings_.intern(other.strings().at(offset));
    return known;
  };
  std::vector<uint32_t> anchors(other.anchor_count());
  for (uint32_t anchor = 1; anchor < other.anchor_count(); ++anchor)
    anchors[anchor] = anchor < shared.anchors ? anchor
                                              : intern_anchor(other.anchor_space(anchor),
                                                              string(other.anchor_name(anchor)));

  std::vector<uint32_t> classes(other.class_count());
  for (uint32_t c = 0; c < other.class_count(); ++c) {
    if (c < shared.classes) classes[c] = c;
    if (c >= shared.classes && other.is_private(c)) classes[c] = add_private();
  }
  std::vector<uint32_t> key;
  auto translate = [&](uint32_t c) {
    key.assign(other.words(c).begin(), other.words(c).end());
    for_each_string(std::span(key), [&](uint32_t& offset) { offset = string(offset); });
    for_each_reference(std::span(key), [&](Reference& r) {
      r = r & anchor_bit ? anchor_bit | anchors[r & ~anchor_bit] : classes[r];
    });
  };
  // Growing on demand would take twice the memory in the end, and three times while copying.
  words_.reserve(words_.size() + other.words_.size());
  uint32_t last = 0;
  for (uint32_t c = shared.classes; c < other.class_count(); ++c) {
    if (other.is_private(c)) continue;
    translate(c);
    bool is_next = last + 1 < class_count() && !is_private(last + 1) &&
                   has_words(last + 1, key);  // both tables met the types in much the same order
    last = classes[c] = is_next ? last + 1 : intern(key);
  }
  // Private classes may refer to any class, so they come when all have their new numbers.
  for (uint32_t c = shared.classes; c < other.class_count(); ++c) {
    if (!other.is_private(c)) continue;
    translate(c);
    define(classes[c], key);
  }
  has_circles_ |= other.has_circles_;
  return classes;
}

void ClassTable::merge(std::span<const uint32_t> representatives) {
  for (uint32_t c = 1; c < class_count(); ++c) {
    if (representatives[c] != c) anchors_of_[c] = 0;
    Extent extent = extents_[c];
    for_each_reference(std::span(words_).subspan(extent.start, extent.count), [&](Reference& r) {
      if ((r & anchor_bit) == 0) r = representatives[r];
    });
  }
}

}  // namespace bpflink
