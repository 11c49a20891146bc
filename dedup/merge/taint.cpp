#include "dedup/merge/tainted_graph.hpp"

namespace bpflink {

Definitions::Definitions(const ClassTable& table)
    : counts(table.anchor_count()), classes(table.anchor_count()) {
  for (uint32_t c = 1; c < table.class_count(); ++c) {
    if (!table.is_definition(c)) continue;
    uint32_t anchor = table.anchor_of(c);
    if (counts[anchor]++ == 0) classes[anchor] = c;
  }
}

std::vector<uint32_t> Definitions::find_ambiguous() const {
  std::vector<uint32_t> ambiguous;
  for (uint32_t anchor = 1; anchor < counts.size(); ++anchor)
    if (is_ambiguous(anchor)) ambiguous.push_back(anchor);
  return ambiguous;
}

TagGraph::TagGraph(const ClassTable& table, const Definitions& definitions)
    : anchor_count_(table.anchor_count()) {
  edges_.starts.reserve(anchor_count_ + table.class_count() + 1);
  for (uint32_t count : definitions.counts) edges_.starts.push_back(edges_.starts.back() + count);
  edges_.targets.resize(edges_.starts.back());
  // The edges of anchors have their places already; those of classes follow.
  std::vector<uint32_t> next(edges_.starts.begin(), edges_.starts.end() - 1);
  for (uint32_t c = 0; c < table.class_count(); ++c) {
    if (c != 0)
      for_each_reference(table.words(c), [&](Reference r) {
        if (r != 0) edges_.targets.push_back(r & anchor_bit ? r & ~anchor_bit : node_of_class(r));
      });
    if (uint32_t anchor = table.anchor_of(c); anchor != 0) {
      edges_.targets.push_back(anchor);
      if (table.is_definition(c)) edges_.targets[next[anchor]++] = node_of_class(c);
    }
    edges_.end_node();
  }
  reversed_ = edges_.reversed();
}

std::vector<bool> TagGraph::find_reaching(const std::vector<uint32_t>& anchors) const {
  std::vector<bool> reaching(edges_.size());
  for (uint32_t anchor : anchors) reversed_.mark_reachable(anchor, reaching);
  return reaching;
}

}  // namespace bpflink
