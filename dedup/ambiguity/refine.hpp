// Partition refinement: the coarsest coloring in which equal colors mean equal
// colors of all children.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/graph.hpp"

namespace bpflink {

/// Splits the colors given until, of two nodes of the same color, the children
/// have the same colors in the same order. No two colors could be merged again
/// without breaking that, other than colors that were given apart.
///
/// Nodes of equal color have equally many children. Colors are numbers below
/// the number of nodes; those of the result are, too. Takes time in proportion
/// to n log n for n nodes and references.
std::vector<uint32_t> refine(const Graph& graph, std::vector<uint32_t> colors);

}  // namespace bpflink
