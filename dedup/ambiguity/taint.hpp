// Ambiguous tags, and the classes that reach them.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/classes/class_table.hpp"
#include "dedup/graph.hpp"

namespace bpflink {

/// A tainted type of an input or of the base.
struct TaintedType {
  uint32_t input;       ///< 0 is the base; an input is its index plus 1
  uint32_t index;       ///< in Input::class_of_type, or the id in the base
  uint32_t type_class;  ///< from its key
};

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
/// edges to what its key refers to, and to its own anchor, so that a declaration reaches what its
/// tag's definitions reach; an anchor has edges to the classes that define it.
class TagGraph {
 public:
  TagGraph(const ClassTable& table, const Definitions& definitions);

  uint32_t anchor_count() const { return anchor_count_; }
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
