// Which ambiguous names each tainted class can reach through references.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/taint.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/hash.hpp"

namespace bpflink {

/// Sets of names, each set once, and the one of each class. What a class refers
/// to by name it reaches in every definition of that name, whichever inputs have
/// them: that is what its types may come to mean.
class Reach {
 public:
  /// A name is given by its anchor and has a number below `name_count`; more
  /// than one anchor may have the same. `numbers` is by anchor, with no_name for
  /// anchors that are not looked for.
  Reach(const TypeTable& table, const Taint& taint, const std::vector<uint32_t>& numbers,
        uint32_t name_count);

  static constexpr uint32_t no_name = UINT32_MAX;

  uint32_t set_count() const { return set_count_; }
  /// The set of a tainted class.
  uint32_t set_of(uint32_t type_class) const {
    return set_of_.empty() ? 0 : set_of_[place(type_class)];
  }
  /// A set, as the bits of name numbers.
  std::span<const uint64_t> set(uint32_t i) const {
    return std::span(sets_).subspan(i * words_, words_);
  }

 private:
  /// Classes that are referred to by name are in one place, that of the anchor.
  uint32_t place(uint32_t type_class) const {
    Reference reference = table_.reference_to(type_class);
    return reference & anchor_bit ? table_.class_count() + (reference & ~anchor_bit) : reference;
  }
  uint32_t place_of(Reference reference) const {
    return reference & anchor_bit ? table_.class_count() + (reference & ~anchor_bit)
                                  : place(reference);
  }
  template <class Visit>
  void for_each_edge(Visit&& visit) const;
  void list_referrers();
  void spread(const std::vector<uint32_t>& numbers, uint32_t first);
  void intern_sets(std::vector<std::vector<uint64_t>>& columns);
  uint32_t intern(std::span<const uint64_t> set);

  const TypeTable& table_;
  const Taint& taint_;
  size_t words_;  ///< of a set
  uint32_t set_count_ = 0;
  std::vector<uint64_t> sets_;
  HashIndex index_;
  std::vector<uint32_t> set_of_;  ///< by place
  // By place: what refers to it.
  std::vector<uint32_t> starts_;
  std::vector<uint32_t> referrers_;
  std::vector<uint64_t> bits_;  ///< by place: which of 64 names are reached
};

}  // namespace bpflink
