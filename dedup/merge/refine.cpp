// Partition refinement, as in Hopcroft's minimization of automata.
//
// The simple way compares all nodes again in each round, and may take as many rounds as there are
// nodes. Here only the parents of nodes that changed their color are compared again. The nodes of
// one color are a contiguous range of one array. When a node changes its color, its parents are
// marked by moving them to the front of their range. A color with marked nodes is then split: the
// marked nodes are sorted by the colors of their children, and each group becomes a color of its
// own, except the largest one, which keeps the old color. So a node that changes its color is then
// in a group of at most half the size, which can happen to it only log n times.
#include "dedup/merge/refine.hpp"

#include <algorithm>
#include <span>

namespace bpflink {

namespace {

struct Range {
  uint32_t begin = 0;
  uint32_t marked_end = 0;  ///< marked nodes are in front of it
  uint32_t end = 0;
};

class Refinement {
 public:
  Refinement(const Graph& graph, std::vector<uint32_t> colors)
      : graph_(graph), colors_(std::move(colors)), parents_(graph.reversed()) {
    sort_by_color();
  }

  std::vector<uint32_t> run() {
    for (uint32_t node = 0; node < graph_.size(); ++node) mark(node);
    while (!work_.empty()) {
      uint32_t color = work_.back();
      work_.pop_back();
      split(color);
    }
    return std::move(colors_);
  }

 private:
  void sort_by_color() {
    nodes_.resize(colors_.size());
    positions_.resize(colors_.size());
    ranges_.resize(colors_.size());
    for (uint32_t color : colors_) ++ranges_[color].end;
    uint32_t begin = 0;
    for (Range& range : ranges_) {
      uint32_t size = range.end;
      range = {begin, begin, begin};
      begin += size;
    }
    for (uint32_t node = 0; node < colors_.size(); ++node) {
      uint32_t position = ranges_[colors_[node]].end++;
      nodes_[position] = node;
      positions_[node] = position;
    }
    // New colors begin at the first number that no node has.
    while (!ranges_.empty() && ranges_.back().begin == ranges_.back().end) ranges_.pop_back();
  }

  void mark(uint32_t node) {
    Range& range = ranges_[colors_[node]];
    if (positions_[node] < range.marked_end) return;
    if (range.marked_end == range.begin) work_.push_back(colors_[node]);
    swap_positions(positions_[node], range.marked_end++);
  }

  void swap_positions(uint32_t a, uint32_t b) {
    std::swap(nodes_[a], nodes_[b]);
    positions_[nodes_[a]] = a;
    positions_[nodes_[b]] = b;
  }

  /// Orders nodes of one color by the colors of their children.
  int compare(uint32_t a, uint32_t b) const {
    std::span<const uint32_t> as = graph_.edges(a);
    std::span<const uint32_t> bs = graph_.edges(b);
    for (size_t i = 0; i < as.size(); ++i) {
      if (colors_[as[i]] != colors_[bs[i]]) return colors_[as[i]] < colors_[bs[i]] ? -1 : 1;
    }
    return 0;
  }

  void split(uint32_t color) {
    Range range = ranges_[color];
    ranges_[color].marked_end = range.begin;
    // The unmarked nodes have children of the same colors. Marked nodes that still agree with one
    // of them join them.
    if (range.marked_end < range.end) {
      uint32_t unchanged = nodes_[range.marked_end];
      for (uint32_t i = range.marked_end; i-- > range.begin;)
        if (compare(nodes_[i], unchanged) == 0) swap_positions(i, --range.marked_end);
    }
    if (range.marked_end == range.begin) return;
    std::span<uint32_t> marked =
        std::span(nodes_).subspan(range.begin, range.marked_end - range.begin);
    std::ranges::sort(marked, [&](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
    for (uint32_t i = range.begin; i < range.marked_end; ++i) positions_[nodes_[i]] = i;

    // Find where groups end, and the largest group.
    std::vector<uint32_t> ends;
    for (uint32_t i = range.begin + 1; i < range.marked_end; ++i)
      if (compare(nodes_[i - 1], nodes_[i]) != 0) ends.push_back(i);
    ends.push_back(range.marked_end);
    if (range.marked_end < range.end) ends.push_back(range.end);
    uint32_t largest = 0, largest_size = 0, begin = range.begin;
    for (uint32_t i = 0; i < ends.size(); begin = ends[i++])
      if (ends[i] - begin > largest_size) largest = i, largest_size = ends[i] - begin;

    recolored_.clear();
    begin = range.begin;
    for (uint32_t i = 0; i < ends.size(); begin = ends[i++]) {
      if (i == largest)
        ranges_[color] = {begin, begin, ends[i]};
      else
        recolor(begin, ends[i]);
    }
    for (uint32_t node : recolored_)
      for (uint32_t parent : parents_.edges(node)) mark(parent);
  }

  void recolor(uint32_t begin, uint32_t end) {
    auto color = static_cast<uint32_t>(ranges_.size());
    ranges_.push_back({begin, begin, end});
    for (uint32_t i = begin; i < end; ++i) {
      colors_[nodes_[i]] = color;
      recolored_.push_back(nodes_[i]);
    }
  }

  const Graph& graph_;
  std::vector<uint32_t> colors_;
  Graph parents_;
  std::vector<uint32_t> nodes_;      ///< ordered by color
  std::vector<uint32_t> positions_;  ///< by node: its index in nodes_
  std::vector<Range> ranges_;        ///< of nodes_, by color
  std::vector<uint32_t> work_;       ///< colors with marked nodes
  std::vector<uint32_t> recolored_;  ///< nodes, by the current split
};

}  // namespace

std::vector<uint32_t> refine(const Graph& graph, std::vector<uint32_t> colors) {
  return Refinement(graph, std::move(colors)).run();
}

}  // namespace bpflink
