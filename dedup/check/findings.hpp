// The faults that the checks of one blob found.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <vector>

#include "bpflink/check.hpp"

namespace bpflink {

class Findings {
 public:
  /// Adds a fault of a type or of one of its elements.
  void add(BtfRule rule, uint32_t type_id, int64_t element = -1) {
    if (type_id < is_faulty_.size()) is_faulty_[type_id] = true;
    bool is_first = !is_broken_.test(static_cast<size_t>(rule));
    is_broken_.set(static_cast<size_t>(rule));
    if (faults_.size() < max_kept || is_first)
      faults_.push_back(
          {.rule = rule, .type_id = type_id, .element = static_cast<int32_t>(element)});
    else
      ++omitted_;
  }
  /// Adds a fault of the blob.
  void add(BtfRule rule) { add(rule, 0); }

  /// Prepares is_faulty() for the types below `end_id`.
  void note_types(uint32_t end_id) { is_faulty_.resize(end_id); }
  bool is_faulty(uint32_t type_id) const { return is_faulty_[type_id]; }
  /// Whether the newest kernel refuses the types.
  bool has_faults() const {
    return std::ranges::any_of(faults_, [](const BtfFault& fault) {
      return btf_rule_text(fault.rule).until == LinuxRelease();
    });
  }
  size_t count() const { return faults_.size(); }  ///< of those that are kept

  std::vector<BtfFault> take_faults() { return std::move(faults_); }
  uint64_t omitted() const { return omitted_; }

 private:
  /// How many faults are kept, and the first of each rule; others are counted.
  static constexpr size_t max_kept = 100;
  static constexpr size_t max_rules = 128;

  std::vector<BtfFault> faults_;
  uint64_t omitted_ = 0;
  std::bitset<max_rules> is_broken_;  ///< by rule
  std::vector<bool> is_faulty_;       ///< by type id
};

}  // namespace bpflink
