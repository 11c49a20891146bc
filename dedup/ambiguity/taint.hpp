// Which classes and anchors can reach an anchor whose name has several meanings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// Finds what reaches certain classes and anchors through references. Costs
/// time in proportion to the classes that it is asked about, not to the table.
class Taint {
 public:
  explicit Taint(const TypeTable& table) : table_(table) {}

  /// Taints those `sources` that are in `classes` or are anchors of these, and
  /// then all of `classes` that refer to something tainted, and their anchors.
  /// A tainted anchor taints all its classes. What was tainted before is not.
  void spread(std::span<const uint32_t> classes, std::span<const Reference> sources);

  /// Taints nothing.
  void clear() { spread({}, {}); }
  bool is_empty() const { return numbered_.size() == 1; }

  bool of_class(uint32_t type_class) const {
    return type_class < is_class_tainted_.size() && is_class_tainted_[type_class] != 0;
  }
  /// The same for each class, and in the end for any other number.
  std::span<const uint8_t> of_classes() const { return is_class_tainted_; }
  bool of_anchor(uint32_t anchor) const {
    return anchor < is_anchor_tainted_.size() && is_anchor_tainted_[anchor] != 0;
  }
  bool of(Reference reference) const {
    return reference & anchor_bit ? of_anchor(reference & ~anchor_bit) : of_class(reference);
  }

 private:
  void assign_numbers(std::span<const uint32_t> classes);
  uint32_t number(Reference reference) const;
  template <class Visit>
  void for_each_edge(std::span<const uint32_t> classes, Visit&& visit) const;
  void list_referrers(std::span<const uint32_t> classes);
  void taint(uint32_t number);
  bool sweep(std::span<const uint32_t> classes);

  const TypeTable& table_;
  // Classes and anchors are numbered from 1 on; 0 is what was not asked about.
  std::vector<uint32_t> class_numbers_;
  std::vector<uint32_t> anchor_numbers_;
  std::vector<Reference> numbered_{0};
  /// By class, and one more; asked for each type of an input, so in a byte each.
  std::vector<uint8_t> is_class_tainted_{0};
  std::vector<uint8_t> is_anchor_tainted_;
  std::vector<uint32_t> work_;  ///< numbers of what is tainted and may taint more
  // By number: what refers to it.
  std::vector<uint32_t> starts_;
  std::vector<uint32_t> referrers_;
};

}  // namespace bpflink
