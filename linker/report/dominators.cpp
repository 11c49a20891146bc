// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), in its
// simple form: O(edges * log(nodes)), whatever the graph.
//
// A depth-first search numbers the nodes. The semidominator of a node is the lowest number from
// which a way leads to it through higher numbers only. The algorithm links the nodes into a forest,
// from the highest number down, and keeps the lowest semidominator on the way up from each. The
// dominator of a node is its semidominator, or the dominator of another node with a lower number,
// which the last loop looks up.
#include <utility>

#include "linker/report/model_builder.hpp"

namespace bpflink {
namespace {

constexpr uint32_t none = UINT32_MAX;

class Dominators {
 public:
  explicit Dominators(const Graph& graph)
      : graph_(graph),
        number_(graph.size(), none),
        ancestor_(graph.size(), none),
        next_in_bucket_(graph.size(), none),
        bucket_(graph.size(), none),
        dominator_(graph.size(), 0) {}

  std::vector<uint32_t> find() {
    number_nodes();
    Graph predecessors = Graph::make(graph_.size(), [&](auto add) {
      for (uint32_t from = 0; from < graph_.size(); ++from)
        for (uint32_t to : graph_.edges(node_[from])) add(number_[to], from);
    });
    for (uint32_t i = 0; i < graph_.size(); ++i) semi_.push_back(i);
    best_ = semi_;
    for (uint32_t i = graph_.size() - 1; i > 0; --i) {
      for (uint32_t from : predecessors.edges(i))
        semi_[i] = std::min(semi_[i], semi_[lowest_above(from)]);
      next_in_bucket_[i] = std::exchange(bucket_[semi_[i]], i);
      ancestor_[i] = parent_[i];
      empty_bucket(parent_[i]);
    }
    for (uint32_t i = 1; i < graph_.size(); ++i)
      if (dominator_[i] != semi_[i]) dominator_[i] = dominator_[dominator_[i]];
    std::vector<uint32_t> by_node(graph_.size());
    for (uint32_t i = 1; i < graph_.size(); ++i) by_node[node_[i]] = node_[dominator_[i]];
    return by_node;
  }

 private:
  void number_nodes() {
    std::vector<uint32_t> next_edge = graph_.starts;
    std::vector<uint32_t> path;
    auto enter = [&](uint32_t node) {
      number_[node] = static_cast<uint32_t>(node_.size());
      parent_.push_back(path.empty() ? 0 : number_[path.back()]);
      node_.push_back(node);
      path.push_back(node);
    };
    enter(0);
    while (!path.empty()) {
      uint32_t node = path.back();
      if (next_edge[node] == graph_.starts[node + 1]) {
        path.pop_back();
        continue;
      }
      uint32_t target = graph_.targets[next_edge[node]++];
      if (number_[target] == none) enter(target);
    }
  }

  /// The node with the lowest semidominator on the way up the forest. Shortens the way.
  uint32_t lowest_above(uint32_t i) {
    if (ancestor_[i] == none) return i;
    path_.clear();
    for (uint32_t at = i; ancestor_[ancestor_[at]] != none; at = ancestor_[at]) path_.push_back(at);
    for (; !path_.empty(); path_.pop_back()) {
      uint32_t at = path_.back(), above = ancestor_[at];
      if (semi_[best_[above]] < semi_[best_[at]]) best_[at] = best_[above];
      ancestor_[at] = ancestor_[above];
    }
    return best_[i];
  }

  void empty_bucket(uint32_t i) {
    for (uint32_t waiting = std::exchange(bucket_[i], none); waiting != none;
         waiting = next_in_bucket_[waiting]) {
      uint32_t lowest = lowest_above(waiting);
      dominator_[waiting] = semi_[lowest] < semi_[waiting] ? lowest : i;
    }
  }

  const Graph& graph_;
  std::vector<uint32_t> number_;  ///< by node; all others are by number
  std::vector<uint32_t> node_, parent_, semi_, best_, ancestor_;
  std::vector<uint32_t> next_in_bucket_, bucket_;  ///< lists of nodes by semidominator
  std::vector<uint32_t> dominator_;
  std::vector<uint32_t> path_;
};

}  // namespace

std::vector<uint32_t> find_dominators(const Graph& graph) {
  return Dominators(graph).find();
}

}  // namespace bpflink
