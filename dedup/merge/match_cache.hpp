// The match cache: for types that have no better hint, the last class that looked the same at first
// sight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/merge/current_input.hpp"

namespace bpflink {

/// A table of classes, in slots by a hash of what a type's words tell without following references.
/// A new class replaces the one in its slot; a match decides, so a wrong candidate only costs time.
class MatchCache {
 public:
  explicit MatchCache(CurrentInput& input) : input_(input) {}

  /// Grows for `classes` classes, which empties it.
  void reserve(size_t classes);

  /// The slot of a type with these words.
  uint32_t slot_of(std::span<const uint32_t> words) {
    return summarize(words) & static_cast<uint32_t>(classes_.size() - 1);
  }
  /// The class in a slot, or 0.
  uint32_t& operator[](uint32_t slot) { return classes_[slot]; }

 private:
  uint32_t summarize(std::span<const uint32_t> words);
  uint64_t summarize_reference(uint32_t id);

  CurrentInput& input_;
  std::vector<uint32_t> classes_;
};

}  // namespace bpflink
