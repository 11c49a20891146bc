#include "dedup/ambiguity/surroundings.hpp"

#include <algorithm>
#include <iterator>

namespace bpflink {

namespace {

// What more nodes refer to is not looked at: that would take its time for each
// of many declarations, and is no hint at any one of them.
constexpr size_t max_parents = 1024;

Adjacency list_parents(const Adjacency& references, const std::vector<uint32_t>& colors) {
  Adjacency by_color = references;
  for (uint32_t& child : by_color.children) child = colors[child];
  return reverse(by_color);
}

}  // namespace

Surroundings::Surroundings(const InstanceGraph& graph, const Adjacency& references,
                           const std::vector<uint32_t>& colors)
    : graph_(graph),
      references_(references),
      colors_(colors),
      parents_(list_parents(references, colors)) {}

size_t Surroundings::common(uint32_t a, uint32_t b) const {
  std::vector<uint64_t> common;
  std::ranges::set_intersection(of(a), of(b), std::back_inserter(common));
  return common.size();
}

/// Each surrounding once, in order.
std::vector<uint64_t> Surroundings::of(uint32_t color) const {
  std::vector<uint64_t> found;
  if (size(color) > max_parents) return found;
  std::vector<uint32_t> view;
  for (uint32_t parent : parents_.of(color)) {
    view.assign(1, graph_.shapes()[parent]);
    for (uint32_t child : references_.of(parent))
      view.push_back(colors_[child] == color ? InstanceGraph::no_node : colors_[child]);
    found.push_back(XXH3_64bits(view.data(), view.size() * sizeof(uint32_t)));
  }
  std::ranges::sort(found);
  auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace bpflink
