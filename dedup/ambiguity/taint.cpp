// Spreads taint from what is referred to, to what refers to it: where it is not
// plain at once how far, by a walk over the references in reverse.
#include "dedup/ambiguity/taint.hpp"

#include <numeric>
#include <ranges>

namespace bpflink {

namespace {

constexpr int most_sweeps = 4;

}  // namespace

void Taint::assign_numbers(std::span<const uint32_t> classes) {
  for (Reference old : numbered_ | std::views::drop(1)) {
    if (old & anchor_bit)
      anchor_numbers_[old & ~anchor_bit] = is_anchor_tainted_[old & ~anchor_bit] = 0;
    else
      class_numbers_[old] = is_class_tainted_[old] = 0;
  }
  class_numbers_.resize(table_.class_count());
  is_class_tainted_.resize(table_.class_count() + 1);
  anchor_numbers_.resize(table_.anchor_count());
  is_anchor_tainted_.resize(table_.anchor_count());
  numbered_.assign(1, 0);
  for (uint32_t c : classes) {
    if (class_numbers_[c] != 0) continue;
    class_numbers_[c] = static_cast<uint32_t>(numbered_.size());
    numbered_.push_back(c);
    uint32_t anchor = table_.anchor_of(c);
    if (anchor == 0 || anchor_numbers_[anchor] != 0) continue;
    anchor_numbers_[anchor] = static_cast<uint32_t>(numbered_.size());
    numbered_.push_back(anchor_bit | anchor);
  }
}

uint32_t Taint::number(Reference reference) const {
  return reference & anchor_bit ? anchor_numbers_[reference & ~anchor_bit]
                                : class_numbers_[reference];
}

template <class Visit>
void Taint::for_each_edge(std::span<const uint32_t> classes, Visit&& visit) const {
  for (uint32_t c : classes) {
    for_each_reference(table_.words(c), [&](Reference reference) {
      if (uint32_t to = number(reference); to != 0) visit(number(c), to);
    });
    // An anchor and its classes taint each other.
    if (uint32_t anchor = table_.anchor_of(c); anchor != 0) {
      visit(number(c), anchor_numbers_[anchor]);
      visit(anchor_numbers_[anchor], number(c));
    }
  }
}

void Taint::list_referrers(std::span<const uint32_t> classes) {
  starts_.assign(numbered_.size() + 1, 0);
  for_each_edge(classes, [&](uint32_t, uint32_t to) { ++starts_[to + 1]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  referrers_.resize(starts_.back());
  std::vector<uint32_t> next(starts_.begin(), starts_.end() - 1);
  for_each_edge(classes, [&](uint32_t from, uint32_t to) { referrers_[next[to]++] = from; });
}

void Taint::taint(uint32_t number) {
  if (number == 0) return;
  Reference reference = numbered_[number];
  uint8_t& is_tainted = reference & anchor_bit ? is_anchor_tainted_[reference & ~anchor_bit]
                                               : is_class_tainted_[reference];
  if (is_tainted != 0) return;
  is_tainted = 1;
  work_.push_back(number);
}

/// Looks at all references once. Returns whether that has tainted anything.
bool Taint::sweep(std::span<const uint32_t> classes) {
  size_t before = work_.size();
  for (uint32_t c : classes) {
    uint32_t anchor = table_.anchor_of(c);
    bool refers = is_anchor_tainted_[anchor] != 0;
    if (is_class_tainted_[c] == 0 && !refers)
      for_each_reference(table_.words(c), [&](Reference r) { refers |= of(r); });
    if (refers) taint(class_numbers_[c]);
    if (is_class_tainted_[c] != 0) taint(anchor_numbers_[anchor]);
  }
  return work_.size() != before;
}

void Taint::spread(std::span<const uint32_t> classes, std::span<const Reference> sources) {
  assign_numbers(classes);
  work_.clear();
  for (Reference source : sources) taint(number(source));
  // Where little is tainted, a few looks at all references take less time than to
  // turn them around.
  for (int i = 0; i < most_sweeps; ++i)
    if (!sweep(classes)) return;
  list_referrers(classes);
  while (!work_.empty()) {
    uint32_t tainted = work_.back();
    work_.pop_back();
    for (uint32_t i = starts_[tainted]; i < starts_[tainted + 1]; ++i) taint(referrers_[i]);
  }
}

}  // namespace bpflink
