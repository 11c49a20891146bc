#include "dedup/merge/match_cache.hpp"

#include <algorithm>
#include <bit>

namespace bpflink {

namespace {

/// The largest number of slots, a power of two.
constexpr size_t max_cached = 1 << 17;

}  // namespace

void MatchCache::reserve(size_t classes) {
  if (classes_.size() < std::min(classes, max_cached))
    classes_.assign(std::min(std::bit_ceil(2 * classes), max_cached), 0);
}

/// A reference, or if it is not known, the first words of the type referred to.
uint64_t MatchCache::summarize_reference(uint32_t id) {
  Reference known = input_.reference(id);
  if (known != unknown_reference || id < input_.types.first_id()) return known;
  const uint32_t* words = input_.words_of(id);
  return uint64_t{words[1]} << 32 | input_.string(words[0]);
}

/// A hash of a type that follows no references.
uint32_t MatchCache::summarize(std::span<const uint32_t> words) {
  auto mix = [](uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  };
  uint64_t hash = mix(0, input_.string(words[0]) | uint64_t{words[1]} << 32);
  const KindWords& layout = kind_words(kind_of(words.data()));
  // Two elements are enough, and only for a type without a name.
  size_t head_end = head_start + layout.head_words;
  size_t end = words[0] == 0 ? head_end + 2 * layout.element_words : head_end;
  words = words.first(std::min(end, words.size()));
  for_each_word(words, layout.numbers, [&](uint32_t number) { hash = mix(hash, number); });
  for_each_word(words, layout.names, [&](uint32_t name) { hash = mix(hash, input_.string(name)); });
  for_each_word(words, layout.ids, [&](uint32_t id) { hash = mix(hash, summarize_reference(id)); });
  return static_cast<uint32_t>(hash);
}

}  // namespace bpflink
