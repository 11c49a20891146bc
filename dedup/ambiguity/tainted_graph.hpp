// The graph of tainted types.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/bindings.hpp"
#include "dedup/ambiguity/refine.hpp"
#include "dedup/ambiguity/taint.hpp"
#include "dedup/deduplication.hpp"

namespace bpflink {

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
