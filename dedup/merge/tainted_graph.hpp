// Ambiguous tags, the classes that reach them, what they mean in each unit, and the graph of
// tainted types.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "dedup/merge/deduplication.hpp"
#include "dedup/merge/graph.hpp"
#include "dedup/merge/refine.hpp"

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

/// Whether R2 may decide for some declaration: R1 has not just one definition for it.
bool needs_bindings(const Deduplication& d, const Definitions& definitions,
                    std::span<const TaintedType> types);

/// By tainted type: its binding, or 0. Only types of tags that R2 may resolve have one: tags that
/// are not ambiguous, are declared by some input, and defined by some input or the base. Empty if
/// there is no such tag. `reaches_ambiguous` is by node of the graph. Errors: inputs that define
/// tags in so many ways that the bindings would take too much time and memory.
std::expected<std::vector<uint32_t>, Error> find_bindings(
    const Deduplication& d, const TagGraph& graph, const std::vector<bool>& reaches_ambiguous,
    const Definitions& definitions, std::span<const TaintedType> types);

/// The definitions that a declaration may resolve to.
struct Candidates {
  static constexpr uint32_t none = UINT32_MAX;
  /// The numbers of two lists that count as one, or `none`. The base's is shared by all inputs.
  uint32_t of_base = none;
  uint32_t others = none;
};

/// The forward declarations of a tag that have the same candidates: one node for all.
struct Declaration {
  uint32_t node;
  uint32_t anchor;
  /// By the rules R1, R2 and R3 of dedup.cpp, in this order.
  std::array<Candidates, 3> candidates;
};

/// A node is a tainted type of an input or the base, or the declarations that share one.
struct TaintedGraph {
  std::vector<uint32_t> classes;  ///< by node: the class of its types
  uint32_t nodes_of_base = 0;     ///< how many nodes, the first ones, are types of the base
  Graph references;               ///< by node: the nodes that its types refer to, in order
  std::vector<Declaration> declarations;
  Graph candidates;             ///< by list: the nodes of definitions, in order
  std::vector<uint32_t> nodes;  ///< by tainted type: its node
};

/// Makes the graph of `types`: the base's first, then those of the inputs in order. The class of
/// tainted type N is class_count() + N. `bindings` is by tainted type, or empty (find_bindings()).
TaintedGraph make_tainted_graph(const Deduplication& d, const Definitions& definitions,
                                std::span<const TaintedType> types,
                                std::span<const uint32_t> bindings);

/// Resolves declarations to definitions. Returns a color by node: types are equal if their nodes
/// have one color. A declaration has the color of the definition that it resolves to. Errors: that
/// takes too many rounds.
std::expected<std::vector<uint32_t>, Error> resolve_declarations(const ClassTable& table,
                                                                 const TaintedGraph& types);

}  // namespace bpflink
