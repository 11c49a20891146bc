// Dominators against their definition: without its dominator, a node is unreachable.
#include <doctest/doctest.h>

#include <random>

#include "linker/report/model_builder.hpp"

namespace bpflink {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

Graph make_graph(uint32_t count, const Edges& edges) {
  return Graph::make(count, [&](auto add) {
    for (auto [from, to] : edges) add(from, to);
  });
}

/// The nodes that node 0 reaches without `removed`
std::vector<bool> reach_without(const Graph& graph, uint32_t removed) {
  std::vector<bool> reached(graph.size());
  std::vector<uint32_t> pending;
  auto reach = [&](uint32_t node) {
    if (node == removed || reached[node]) return;
    reached[node] = true;
    pending.push_back(node);
  };
  reach(0);
  while (!pending.empty()) {
    uint32_t node = pending.back();
    pending.pop_back();
    for (uint32_t target : graph.edges(node)) reach(target);
  }
  return reached;
}

/// Compares with all dominators of a node by the definition, without itself. Of two dominators, the
/// farther one dominates the other.
void check(const Graph& graph) {
  std::vector<std::vector<bool>> without;
  for (uint32_t node = 0; node < graph.size(); ++node)
    without.push_back(reach_without(graph, node));
  std::vector<uint32_t> found = find_dominators(graph);
  for (uint32_t node = 1; node < graph.size(); ++node) {
    CHECK_FALSE(without[found[node]][node]);
    for (uint32_t other = 1; other < graph.size(); ++other)
      if (other != node && other != found[node] && !without[other][node])
        CHECK_FALSE(without[other][found[node]]);
  }
}

}  // namespace

TEST_CASE("dominators of a diamond with a tail") {
  Graph graph = make_graph(6, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 1}});
  CHECK(find_dominators(graph) == std::vector<uint32_t>{0, 0, 1, 1, 1, 4});
}

TEST_CASE("dominators of a graph of one node") {
  CHECK(find_dominators(make_graph(1, {})) == std::vector<uint32_t>{0});
}

TEST_CASE("dominators of random graphs match the definition") {
  std::mt19937 random(18);
  for (int round = 0; round < 500; ++round) {
    uint32_t count = 2 + random() % 30;
    Edges edges;
    for (uint32_t node = 1; node < count; ++node) edges.emplace_back(random() % node, node);
    for (uint32_t extra = random() % (2 * count); extra > 0; --extra)
      edges.emplace_back(random() % count, random() % count);
    check(make_graph(count, edges));
  }
}

TEST_CASE("dominators of a long chain need no recursion") {
  constexpr uint32_t count = 1'000'000;
  Edges edges;
  for (uint32_t node = 1; node < count; ++node) edges.emplace_back(node - 1, node);
  CHECK(find_dominators(make_graph(count, edges)).back() == count - 2);
}

}  // namespace bpflink
