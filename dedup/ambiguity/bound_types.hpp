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

/// Definitions that a declaration may stand for.
struct Candidates {
  static constexpr uint32_t none = UINT32_MAX;
  /// Two lists that count as one, by number, or `none`.
  uint32_t of_base = none;
  uint32_t others = none;
};

/// A forward declaration of a tag: one node for all that stand for the same.
struct Declaration {
  uint32_t node;
  uint32_t anchor;
  /// By the rules R1, R2 and R3 of dedup.cpp, those first that decide first.
  std::array<Candidates, 3> candidates;
};

/// Tainted types as nodes. A node stands for one type of one input, or for all types of a class
/// in units where their bindings are equal.
struct BoundTypes {
  std::vector<uint32_t> classes;  ///< by node: the class of its types
  Graph references;               ///< by node: those that its types refer to, in order
  std::vector<Declaration> declarations;
  Graph candidates;             ///< by number of a list: nodes of definitions, in order
  std::vector<uint32_t> nodes;  ///< by tainted type
};

/// Makes the graph of `types`: those of the base first, then those of the inputs in order. The
/// elements of the inputs and of the base say which of these a tainted type is, above the number
/// of classes. `has_units` says whether types have their units and bindings.
BoundTypes bind_types(const Deduplication& d, const Definitions& definitions,
                      std::span<const TaintedType> types, bool has_units);

/// Finds which definitions declarations stand for. Returns by node its color: types are equal if
/// their nodes have equal colors. A declaration has that of the definition that it stands for.
std::vector<uint32_t> resolve_declarations(const ClassTable& table, const BoundTypes& types);

}  // namespace bpflink
