#include "dedup/classes/match_cache.hpp"

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
  KindLayout layout = kind_layout(kind_of(words.data()));
  hash = mix(hash, layout.refers ? summarize_reference(words[2]) : words[2]);
  if (words[0] == 0 && words.size() > common_words) {
    if (kind_of(words.data()) == BtfKind::Array)
      hash = mix(mix(hash, summarize_reference(words[3])), words[5]);
    // For a type without a name, two elements are enough.
    size_t end = std::min<size_t>(words.size(), common_words + 2 * layout.element_words);
    for (size_t i = common_words; i < end && layout.element_name >= 0; i += layout.element_words) {
      hash = mix(hash, input_.string(words[i + layout.element_name]));
      if (layout.element_type >= 0)
        hash = mix(hash, summarize_reference(words[i + layout.element_type]));
    }
  }
  return static_cast<uint32_t>(hash);
}

}  // namespace bpflink
