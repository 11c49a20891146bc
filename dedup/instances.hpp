// The tainted types as a graph. deduplicator.cpp says why.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/refine.hpp"
#include "dedup/taint.hpp"
#include "dedup/type_table.hpp"
#include "dedup/unit.hpp"

namespace bpflink {

/// A class as the types of some units mean it: units in which all names of
/// tainted anchors mean the same share an environment.
struct Instance {
  uint32_t type_class;
  uint32_t environment;
};

/// The instances of all tainted classes and how they refer to each other.
class InstanceGraph {
 public:
  /// `units[0]` is the base, which is empty where there is none.
  InstanceGraph(const TypeTable& table, const Taint& taint, std::span<const Unit> units);

  static constexpr uint32_t base_environment = 0;
  static constexpr uint32_t no_node = UINT32_MAX;

  const std::vector<Instance>& nodes() const { return nodes_; }
  /// What a node refers to that is tainted, in the order of its class's words.
  const Adjacency& references() const { return references_; }
  /// Equal where nodes are equal but for what they refer to that is tainted.
  const std::vector<uint32_t>& shapes() const { return shapes_; }

  std::span<const uint32_t> words(uint32_t node) const {
    return table_.words(nodes_[node].type_class);
  }
  uint32_t anchor(uint32_t node) const { return table_.anchor_of(nodes_[node].type_class); }
  bool is_declaration(uint32_t node) const {
    return anchor(node) != 0 && bpflink::is_declaration(words(node).data());
  }

  /// The node of a tainted class in a unit. Costs time when the unit has
  /// another environment than the unit before.
  uint32_t node_of(uint32_t unit, uint32_t type_class);

 private:
  struct Environment {
    /// The units' tainted anchors, which are what tells environments apart.
    std::vector<uint32_t> anchor_classes;
    /// Classes and their nodes. A declaration has the node of the definition,
    /// where there is one.
    std::vector<uint32_t> classes;
    std::vector<uint32_t> nodes;
  };

  void collect_tainted(const Unit& unit);
  void add_unit(const Unit& unit, bool is_base);
  uint32_t intern_environment(std::vector<uint32_t> anchor_classes);
  void add_instances(uint32_t environment);
  void enter(uint32_t environment);
  void leave();
  uint32_t find(Reference reference) const;
  void connect();
  void add_shape(uint32_t node, TypeTable& shapes, std::vector<uint32_t>& form);

  const TypeTable& table_;
  const Taint& taint_;
  std::vector<Instance> nodes_;
  Adjacency references_;
  std::vector<uint32_t> shapes_;
  std::vector<Environment> environments_;
  HashIndex environment_index_;
  std::vector<uint32_t> unit_environments_;

  // The unit at hand.
  std::vector<bool> seen_;
  std::vector<uint32_t> tainted_;
  // The environment at hand, and the base's: nodes by class and by anchor.
  uint32_t entered_ = no_node;
  std::vector<uint32_t> class_nodes_;
  std::vector<uint32_t> anchor_nodes_;
  std::vector<uint32_t> base_class_nodes_;
  std::vector<uint32_t> base_anchor_nodes_;
};

}  // namespace bpflink
