// The tainted types as a graph. deduplicator.cpp says why.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/environments.hpp"
#include "dedup/ambiguity/refine.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/classes/hash.hpp"
#include "dedup/classes/unit.hpp"

namespace bpflink {

/// A class as the types of some parts mean it: parts in which the names that it
/// can reach mean the same.
struct Instance {
  uint32_t type_class;
  /// The only part that has it, of a class that is not found by name; the base;
  /// or `InstanceGraph::no_owner`.
  uint32_t owner;
};

/// The instances of all tainted classes and how they refer to each other.
class InstanceGraph {
 public:
  /// `units[0]` is the base, which is empty where there is none. Of the units'
  /// classes, those that are tainted are replaced by their instances, as
  /// node_of() reads them.
  InstanceGraph(const TypeTable& table, const Taint& taint, std::vector<Unit>& units);

  static constexpr uint32_t base = 0;
  static constexpr uint32_t no_owner = UINT32_MAX - 1;
  static constexpr uint32_t no_node = UINT32_MAX;

  const std::vector<Instance>& nodes() const { return nodes_; }
  /// What a node refers to that is tainted, in the order of its class's words.
  const Adjacency& references() const { return references_; }
  /// Equal where nodes are equal but for what they refer to that is tainted.
  const std::vector<uint32_t>& shapes() const { return shapes_; }
  /// How many parts have declarations in the place of a definition.
  const std::vector<uint32_t>& declaring_parts() const { return declaring_parts_; }

  std::span<const uint32_t> words(uint32_t node) const {
    return table_.words(nodes_[node].type_class);
  }
  uint32_t anchor(uint32_t node) const { return table_.anchor_of(nodes_[node].type_class); }
  bool is_declaration(uint32_t node) const {
    return anchor(node) != 0 && bpflink::is_declaration(words(node).data());
  }

  /// Of an element of a unit's classes: the node, or no_node if it is a class.
  uint32_t node_of(uint32_t element) const {
    return element < table_.class_count() ? no_node : element - table_.class_count();
  }

 private:
  /// A node as it is looked for: a class, or the declarations of an anchor.
  struct Key {
    Reference type;
    uint32_t environment;
    bool operator==(const Key&) const = default;
  };
  /// A declaration, which has a node when all definitions have theirs.
  struct Pending {
    size_t entry;  ///< in parts_.children
    uint32_t environment;
    uint32_t definition;  ///< the class that it stands for if there is a node of it, or 0
  };

  /// Nodes by class and by anchor.
  struct Lookup {
    std::vector<uint32_t> class_nodes;
    std::vector<uint32_t> anchor_nodes;
  };

  void list_parts(std::vector<Unit>& units);
  void add_nodes(bool has_base);
  void add_base();
  void add_part(uint32_t part, Environments& environments);
  void add_declarations();
  void add_declaration(const Pending& declaration);
  uint32_t find(Key key) const;
  uint32_t add(Key key, Instance instance);

  void share_nodes();
  void enter(uint32_t part, Lookup& lookup) const;
  void leave(uint32_t part);
  uint32_t node_of_reference(Reference reference) const;
  void count_references();
  void connect(std::vector<Unit>& units);
  void add_shapes();
  void add_shape(uint32_t node, TypeTable& shapes, std::vector<uint32_t>& form);

  const TypeTable& table_;
  const Taint& taint_;
  std::vector<Instance> nodes_;
  Adjacency references_;
  std::vector<uint32_t> shapes_;
  std::vector<uint32_t> declaring_parts_;

  /// The tainted classes of each part, each once, and their nodes. The base is a
  /// part, the first.
  Adjacency parts_;
  std::vector<uint32_t> part_nodes_;
  /// By part: the owner of its local classes.
  std::vector<uint32_t> owners_;
  /// By part: the first node that it added.
  std::vector<uint32_t> first_nodes_;
  std::vector<Pending> pending_;
  std::vector<Key> keys_;  ///< by node
  HashIndex index_;        ///< of the nodes that parts share, + 1

  Lookup here_;        ///< the part at hand
  Lookup everywhere_;  ///< what any part may refer to: the base, and objects
};

}  // namespace bpflink
