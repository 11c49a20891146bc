// Interns sequences of words: equal ones get the same number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dedup/format/hash.hpp"

namespace bpflink {

/// Numbers are from 1 on, in order of first occurrence.
class Interner {
 public:
  uint32_t intern(std::span<const uint32_t> words) {
    uint32_t hash = hash_bytes(words.data(), words.size_bytes());
    uint32_t found = index_.find(hash, [&](uint32_t number) {
      std::span<const uint32_t> known = at(number);
      return std::ranges::equal(known, words);
    });
    if (found != 0) return found;
    words_.insert(words_.end(), words.begin(), words.end());
    starts_.push_back(words_.size());
    index_.insert(hash, size());
    return size();
  }

  /// The sequence of a number.
  std::span<const uint32_t> at(uint32_t number) const {
    return std::span(words_).subspan(starts_[number - 1], starts_[number] - starts_[number - 1]);
  }

  /// The largest number given.
  uint32_t size() const { return static_cast<uint32_t>(starts_.size()) - 1; }

 private:
  std::vector<uint32_t> words_;
  std::vector<size_t> starts_{0};
  HashIndex index_;
};

}  // namespace bpflink
