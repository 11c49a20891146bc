// Candidate classes for a type, by its first words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/classes/open_input.hpp"

namespace bpflink {

class MatchCache {
 public:
  explicit MatchCache(OpenInput& input) : input_(input) {}

  /// Makes room for so many classes.
  void reserve(size_t classes);

  /// The place of a type with these words. It stays the type's whatever is found out about others.
  uint32_t place_of(std::span<const uint32_t> words) {
    return summarize(words) & static_cast<uint32_t>(classes_.size() - 1);
  }
  /// The class of the last type of that place that was not as expected, or 0.
  uint32_t& operator[](uint32_t place) { return classes_[place]; }

 private:
  uint32_t summarize(std::span<const uint32_t> words);
  uint64_t summarize_reference(uint32_t id);

  OpenInput& input_;
  std::vector<uint32_t> classes_;
};

}  // namespace bpflink
