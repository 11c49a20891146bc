// Directed graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bpflink {

/// A directed graph: the edges of node N lead to targets[begin[N]] up to targets[begin[N + 1]].
struct Graph {
  std::vector<uint32_t> begin, targets;

  /// A graph of `count` nodes. `visit_edges(add)` calls `add(from, to)` for each edge; it is
  /// called twice and must do the same both times.
  template <typename VisitEdges>
  static Graph make(uint32_t count, VisitEdges visit_edges);

  uint32_t size() const { return static_cast<uint32_t>(begin.size()) - 1; }
  std::span<const uint32_t> edges(uint32_t node) const {
    return std::span(targets).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

template <typename VisitEdges>
Graph Graph::make(uint32_t count, VisitEdges visit_edges) {
  Graph graph;
  graph.begin.assign(count + 2, 0);
  visit_edges([&](uint32_t from, uint32_t) { ++graph.begin[from + 2]; });
  for (size_t i = 2; i < graph.begin.size(); ++i) graph.begin[i] += graph.begin[i - 1];
  graph.targets.resize(graph.begin.back());
  visit_edges([&](uint32_t from, uint32_t to) { graph.targets[graph.begin[from + 1]++] = to; });
  graph.begin.pop_back();
  return graph;
}

}  // namespace bpflink
