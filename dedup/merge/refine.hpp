// Partition refinement: the coarsest coloring of a graph in which nodes of one color have children
// of the same colors.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/merge/graph.hpp"

namespace bpflink {

/// Splits colors until any two nodes of one color have children of the same colors in the same
/// order. It splits no more than that requires.
///
/// Nodes of one color must have equally many children. Colors, given and returned, are 0, 1, ...
/// without gaps. Takes O(n log n) time for n nodes and edges.
std::vector<uint32_t> refine(const Graph& graph, std::vector<uint32_t> colors);

}  // namespace bpflink
