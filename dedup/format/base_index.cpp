#include "dedup/format/base_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "dedup/format/access.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {

namespace {

constexpr uint32_t named_bit = 0x80000000;  // in the shape of a type with a name

/// A hash of the beginning of a name: any number of types may have one very long name.
uint32_t hash_name(const char* name) {
  constexpr size_t most = 64;
  return hash_bytes(name, ::strnlen(name, most));
}

}  // namespace

LargeVector<uint32_t> BaseIndex::find_shapes(const BtfView& types, const BaseIndex* base) {
  constexpr unsigned max_depth = 3;
  LargeVector<uint32_t> shapes(types.end_id() - types.first_id());
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    const uint32_t* words = types.first_word(types.first_id() + i);
    const char* name = words[0] == 0 ? "" : types.string(words[0]).data();
    if (*name == '\0') continue;
    TagSpace space = tag_space(words);
    uint32_t meaning = space == TagSpace::None ? words[1] : static_cast<uint32_t>(space);
    shapes[i] = named_bit | combine_hashes(hash_name(name), meaning);
  }
  for (uint32_t i = 0; i < shapes.size(); ++i)
    if (shapes[i] == 0)
      shapes[i] = find_shape(types, base, shapes, types.first_id() + i, max_depth) & ~named_bit;
  return shapes;
}

/// The shape of a type; `shapes` has those of types with names. Others have few words that tell
/// much: the first of their elements, whose number and the depth limit the steps.
uint32_t BaseIndex::find_shape(const BtfView& types, const BaseIndex* base,
                               std::span<const uint32_t> shapes, uint32_t id, unsigned depth) {
  constexpr size_t elements = 2;
  if (id < types.first_id())
    return base == nullptr ? 0 : find_shape(base->types_, base->base_, base->shapes_, id, depth);
  if (uint32_t known = shapes[id - types.first_id()]; (known & named_bit) != 0) return known;
  std::span<const uint32_t> words = types.words_of(id);
  uint32_t shape = words[1];
  if (depth == 0) return shape;
  auto add = [&](uint32_t child) {
    shape = combine_hashes(shape, find_shape(types, base, shapes, child, depth - 1));
  };
  const KindWords& layout = kind_words(kind_of(words.data()));
  if (kind_of(words.data()) == BtfKind::Array) {
    shape = combine_hashes(shape, words[5]);
    add(words[3]);  // the deduplicator may change the index type
  } else {
    size_t end = head_start + layout.head_words + elements * layout.element_words;
    for_each_reference(words.first(std::min(words.size(), end)), add);
  }
  return shape;
}

BaseIndex::BaseIndex(const Btf& btf)
    : base_(btf.base() != nullptr ? &base_index(*btf.base()) : nullptr),
      types_(btf),
      shapes_(find_shapes(types_, base_)) {
  index_strings();
  index_types();
}

/// Slots of the hash index are all over memory: they are prefetched for a few strings at once.
void BaseIndex::index_strings() {
  constexpr size_t usual_size = 16, batch_size = 32;
  std::string_view strings = types_.strings();
  strings_.reserve(strings.size() / usual_size);
  std::array<std::pair<uint32_t, std::string_view>, batch_size> batch;  // with hashes
  for (size_t at = 0; at < strings.size();) {
    size_t count = 0;
    while (count < batch_size && at < strings.size()) {
      std::string_view string = strings.data() + at;
      at += string.size() + 1;
      if (string.empty()) continue;
      batch[count] = {hash_bytes(string.data(), string.size()), string};
      strings_.prefetch(batch[count++].first);
    }
    for (auto [hash, string] : std::span(batch).first(count))
      if (find_string(string, hash) == 0)
        strings_.insert(
            hash, types_.string_begin() + static_cast<uint32_t>(string.data() - strings.data()));
      else
        strings_are_unique_ = false;
  }
}

void BaseIndex::index_types() {
  first_.resize(std::bit_ceil(size_t{types_.end_id()} - types_.first_id() + 1));
  next_.resize(types_.end_id() - types_.first_id());
  for (uint32_t id = types_.first_id(); id < types_.end_id(); ++id) {
    if (is_object(kind_of(types_.first_word(id)))) continue;
    uint32_t& first = first_[shapes_[id - types_.first_id()] & mask()];
    next_[id - types_.first_id()] = first;
    first = id;
  }
}

uint32_t BaseIndex::find_string(std::string_view string, uint32_t hash) const {
  uint32_t found = base_ != nullptr ? base_->find_string(string, hash) : 0;
  if (found != 0) return found;
  return strings_.find(hash, [&](uint32_t offset) { return types_.string(offset) == string; });
}

bool BaseIndex::is_first_string(uint32_t offset) const {
  if (offset < types_.string_begin()) return base_->is_first_string(offset);
  std::string_view strings = types_.strings();
  size_t at = offset - types_.string_begin();
  return strings_are_unique_ && at < strings.size() && strings[at] != '\0' &&
         (at == 0 || strings[at - 1] == '\0');
}

const BaseIndex& base_index(const Btf& btf) {
  auto& lazy = BtfAccess::impl(btf)->lazy_index;
  std::call_once(lazy.once, [&] { lazy.index = std::make_unique<const BaseIndex>(btf); });
  return *lazy.index;
}

}  // namespace bpflink
