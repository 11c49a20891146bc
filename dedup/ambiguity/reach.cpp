// Spreads names from what they name to what refers to it, 64 at a time: each
// class has a word of bits, and when bits are added to a class those that refer
// to it are looked at again.
#include "dedup/ambiguity/reach.hpp"

#include <algorithm>
#include <numeric>

namespace bpflink {

Reach::Reach(const TypeTable& table, const Taint& taint, const std::vector<uint32_t>& numbers,
             uint32_t name_count)
    : table_(table), taint_(taint), words_((name_count + 63) / 64) {
  intern(std::vector<uint64_t>(words_));
  if (name_count == 0) return;
  list_referrers();
  size_t places = starts_.size() - 1;
  std::vector<std::vector<uint64_t>> columns;
  for (uint32_t first = 0; first < 64 * words_; first += 64) {
    bits_.assign(places, 0);
    spread(numbers, first);
    columns.push_back(std::move(bits_));
  }
  intern_sets(columns);
  starts_ = {};
  referrers_ = {};
}

template <class Visit>
void Reach::for_each_edge(Visit&& visit) const {
  for (uint32_t c = 1; c < table_.class_count(); ++c) {
    if (!taint_.of_class(c)) continue;
    uint32_t from = place(c);
    for_each_reference(table_.words(c), [&](Reference reference) {
      if (taint_.of(reference)) visit(from, place_of(reference));
    });
  }
}

void Reach::list_referrers() {
  size_t places = size_t{table_.class_count()} + table_.anchor_count();
  starts_.assign(places + 1, 0);
  for_each_edge([&](uint32_t, uint32_t to) { ++starts_[to + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  referrers_.resize(starts_.back());
  std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
  for_each_edge([&](uint32_t from, uint32_t to) { referrers_[next[to]++] = from; });
}

/// Fills in `bits_` for the 64 names from `first` on. What waits is looked at in
/// waves, so that bits from many names arrive together.
void Reach::spread(const std::vector<uint32_t>& numbers, uint32_t first) {
  std::vector<uint32_t> wave, next;
  std::vector<bool> waits(bits_.size());
  for (uint32_t anchor = 1; anchor < table_.anchor_count(); ++anchor) {
    if (numbers[anchor] == no_name || numbers[anchor] - first >= 64) continue;
    uint32_t place = place_of(anchor_bit | anchor);
    bits_[place] = uint64_t{1} << (numbers[anchor] - first);
    next.push_back(place);
  }
  while (!next.empty()) {
    wave.swap(next);
    next.clear();
    for (uint32_t place : wave) waits[place] = false;
    for (uint32_t place : wave) {
      for (uint32_t i = starts_[place]; i < starts_[place + 1]; ++i) {
        uint32_t referrer = referrers_[i];
        if ((bits_[place] & ~bits_[referrer]) == 0) continue;
        bits_[referrer] |= bits_[place];
        if (waits[referrer]) continue;
        waits[referrer] = true;
        next.push_back(referrer);
      }
    }
  }
}

void Reach::intern_sets(std::vector<std::vector<uint64_t>>& columns) {
  set_of_.resize(columns[0].size());
  std::vector<uint64_t> set(words_);
  for (uint32_t place = 0; place < set_of_.size(); ++place) {
    for (size_t i = 0; i < words_; ++i) set[i] = columns[i][place];
    set_of_[place] = intern(set);
  }
}

uint32_t Reach::intern(std::span<const uint64_t> set) {
  uint32_t hash = hash_bytes(set.data(), set.size_bytes());
  // The index keeps numbers from 1 on.
  uint32_t found = index_.find(
      hash, [&](uint32_t number) { return std::ranges::equal(this->set(number - 1), set); });
  if (found != 0) return found - 1;
  sets_.insert(sets_.end(), set.begin(), set.end());
  index_.insert(hash, ++set_count_);
  return set_count_ - 1;
}

}  // namespace bpflink
