// Partition refinement: the coarsest coloring in which equal colors mean equal
// colors of all children.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bpflink {

/// Lists of children, one list a node, one after another.
struct Adjacency {
  std::vector<uint32_t> starts{0};
  std::vector<uint32_t> children;

  uint32_t node_count() const { return static_cast<uint32_t>(starts.size()) - 1; }
  std::span<const uint32_t> of(uint32_t node) const {
    return std::span(children).subspan(starts[node], starts[node + 1] - starts[node]);
  }
};

/// The same references the other way round.
Adjacency reverse(const Adjacency& graph);

/// Splits the colors given until, of two nodes of the same color, the children
/// have the same colors in the same order. No two colors could be merged again
/// without breaking that, other than colors that were given apart.
///
/// Nodes of equal color have equally many children. Colors are numbers below
/// the number of nodes; those of the result are, too. Takes time in proportion
/// to n log n for n nodes and references.
std::vector<uint32_t> refine(const Adjacency& graph, std::vector<uint32_t> colors);

}  // namespace bpflink
