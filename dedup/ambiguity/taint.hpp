// Ambiguous tags, and the classes that reach them.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/ambiguity/refine.hpp"
#include "dedup/classes/class_table.hpp"

namespace bpflink {

/// By anchor: how many classes define it, and the first of them.
struct Definitions {
  explicit Definitions(const ClassTable& table);

  bool is_defined(uint32_t anchor) const { return classes[anchor] != 0; }
  bool is_ambiguous(uint32_t anchor) const { return counts[anchor] > 1; }
  std::vector<uint32_t> find_ambiguous() const;

  std::vector<uint32_t> counts;
  std::vector<uint32_t> classes;
};

/// Anchors and classes as nodes of one graph: anchors first, by number, then classes. A class has
/// edges to what its key refers to, and to its own anchor; an anchor has edges to the classes that
/// define it.
class TagGraph {
 public:
  TagGraph(const ClassTable& table, const Definitions& definitions);

  uint32_t node_of_class(uint32_t type_class) const { return anchor_count_ + type_class; }
  const Graph& graph() const { return edges_; }

  /// From a list by node, that by class.
  std::vector<bool> by_class(const std::vector<bool>& by_node) const {
    return {by_node.begin() + anchor_count_, by_node.end()};
  }

  /// By node: whether it is one of these anchors or reaches one.
  std::vector<bool> find_reaching(const std::vector<uint32_t>& anchors) const;

 private:
  uint32_t anchor_count_;
  Graph edges_;
  Graph reversed_;
};

}  // namespace bpflink
