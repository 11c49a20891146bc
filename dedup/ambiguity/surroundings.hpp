// What refers to a type, for guesses at which types are meant to be the same.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/ambiguity/instances.hpp"
#include "dedup/ambiguity/refine.hpp"

namespace bpflink {

/// What refers to the nodes of a color, as hashes of all that it says but for
/// what it refers to them by: two colors have a surrounding in common where types
/// would become equal if the colors did.
class Surroundings {
 public:
  /// `references` are those of the graph, or as links have changed them. All
  /// arguments must outlive this.
  Surroundings(const InstanceGraph& graph, const Adjacency& references,
               const std::vector<uint32_t>& colors);

  /// How many nodes refer to a color.
  size_t size(uint32_t color) const { return parents_.of(color).size(); }
  /// How many surroundings two colors have in common.
  size_t common(uint32_t a, uint32_t b) const;

 private:
  std::vector<uint64_t> of(uint32_t color) const;

  const InstanceGraph& graph_;
  const Adjacency& references_;
  const std::vector<uint32_t>& colors_;
  Adjacency parents_;  ///< by color
};

}  // namespace bpflink
