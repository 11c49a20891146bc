// The names that several definitions share.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/ambiguity/reach.hpp"
#include "dedup/ambiguity/refine.hpp"
#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// The anchors with several definitions that are referred to by name: what such
/// a name means, only the part tells.
struct AmbiguousNames {
  /// By anchor: the class that is its only definition, up to what it refers to,
  /// or 0.
  std::vector<uint32_t> sole_definitions;
  /// By anchor: the name's number, Reach::no_name where it is not ambiguous. The
  /// names that most parts define have their own; all others share the last.
  std::vector<uint32_t> numbers;
  /// One past the last number.
  uint32_t number_count = 0;
  /// By the numbers that are of one name: the classes that define it, those of
  /// most parts first.
  Adjacency definitions;

  bool is_shared(uint32_t number) const { return number >= definitions.node_count(); }
};

/// `parts` lists the classes of each part. Does not depend on their order.
AmbiguousNames find_ambiguous_names(const TypeTable& table, const Adjacency& parts);

}  // namespace bpflink
