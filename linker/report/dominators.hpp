// Which node of a graph each node depends on.
#pragma once

#include "dedup/graph.hpp"

namespace bpflink {

/// By node: its immediate dominator, the nearest other node that all ways from node 0 to it pass
/// through. 0 for node 0. Every node must be reachable from node 0.
std::vector<uint32_t> find_dominators(const Graph& graph);

}  // namespace bpflink
