// Directed graphs in two arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bpflink {

/// The edges of each node, one node after another: those of node N lead to targets[starts[N]] up to
/// targets[starts[N + 1]].
struct Graph {
  std::vector<uint32_t> starts{0};
  std::vector<uint32_t> targets;

  /// A graph of `count` nodes. `visit_edges(add)` calls `add(from, to)` for each edge; it is
  /// called twice and must do the same both times.
  template <typename VisitEdges>
  static Graph make(uint32_t count, VisitEdges visit_edges) {
    Graph graph;
    std::vector<uint32_t>& starts = graph.starts;
    starts.assign(count + 2, 0);
    visit_edges([&](uint32_t from, uint32_t) { ++starts[from + 2]; });
    for (size_t i = 2; i < starts.size(); ++i) starts[i] += starts[i - 1];
    graph.targets.resize(starts.back());
    visit_edges([&](uint32_t from, uint32_t to) { graph.targets[starts[from + 1]++] = to; });
    starts.pop_back();
    return graph;
  }

  /// Adds a node. Its edges are the targets appended since the last call.
  void end_node() { starts.push_back(static_cast<uint32_t>(targets.size())); }

  uint32_t size() const { return static_cast<uint32_t>(starts.size()) - 1; }
  std::span<const uint32_t> edges(uint32_t node) const {
    return std::span(targets).subspan(starts[node], starts[node + 1] - starts[node]);
  }
  /// Marks a node and all nodes that it reaches through unmarked ones.
  void mark_reachable(uint32_t node, std::vector<bool>& is_marked) const {
    if (is_marked[node]) return;
    is_marked[node] = true;
    std::vector<uint32_t> pending = {node};
    while (!pending.empty()) {
      uint32_t from = pending.back();
      pending.pop_back();
      for (uint32_t to : edges(from)) {
        if (is_marked[to]) continue;
        is_marked[to] = true;
        pending.push_back(to);
      }
    }
  }
  /// The graph with each edge turned around.
  Graph reversed() const {
    return make(size(), [this](auto add) {
      for (uint32_t from = 0; from < size(); ++from)
        for (uint32_t to : edges(from)) add(to, from);
    });
  }
};

}  // namespace bpflink
