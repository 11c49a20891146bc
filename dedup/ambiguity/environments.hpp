// What ambiguous names mean, part by part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/ambiguous_names.hpp"
#include "dedup/ambiguity/reach.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/hash.hpp"

namespace bpflink {

/// Lists of words as numbers: equal lists, and only these, have the same.
class WordLists {
 public:
  uint32_t intern(std::span<const uint32_t> list);

 private:
  std::vector<uint32_t> words_;
  std::vector<size_t> starts_{0};
  HashIndex index_;
};

/// The environments of all parts. An environment is a number for what the names
/// that a class can reach mean in a part: types of one class and the same
/// environment are equal.
class Environments {
 public:
  /// `parts` lists the tainted classes of each part and must outlive this.
  /// Where there is a base, what a part does not say the base may, so that names
  /// must not be completed from other parts; then environments tell all parts
  /// apart that have not the same tainted anchors.
  Environments(const TypeTable& table, const Taint& taint, const Adjacency& parts, bool has_base);

  /// Makes a part the one at hand.
  void enter(uint32_t part);
  /// The environment of a class in the part at hand.
  uint32_t of(uint32_t type_class);
  /// The class that defines an anchor in the part at hand or, where that does
  /// not, in the parts that agree with it; 0 if there is none.
  uint32_t definition(uint32_t anchor) const;

 private:
  void set_meanings(uint32_t part);
  uint32_t intern_environment(std::span<const uint64_t> names);

  const TypeTable& table_;
  const Adjacency& parts_;
  bool has_base_;
  AmbiguousNames names_;
  Reach reach_;
  Adjacency completions_;
  WordLists lists_;

  // The part at hand.
  uint32_t part_ = 0;
  std::vector<uint32_t> own_definitions_;  ///< by anchor
  std::vector<uint32_t> meanings_;         ///< by number of the name
  uint32_t whole_ = 0;                     ///< its environment if there is a base
  /// By set of names: its environment, and the part that this is of.
  struct Known {
    uint32_t part = UINT32_MAX;
    uint32_t environment = 0;
  };
  std::vector<Known> known_;
  std::vector<uint32_t> list_;
};

}  // namespace bpflink
