// Bindings: what the ambiguous tags that a type reaches mean in its unit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/ambiguity/taint.hpp"
#include "dedup/ambiguity/units.hpp"
#include "dedup/interner.hpp"

namespace bpflink {

/// A tainted type of an input or of the base.
struct TaintedType {
  uint32_t input;       ///< 0 is the base; an input is its index plus 1
  uint32_t index;       ///< in Input::class_of_type, or the id in the base
  uint32_t type_class;  ///< from its key
  uint32_t unit = 0;
  /// Types of one class with one binding are equal, unless one needs a node of its own.
  uint32_t binding = 0;
  /// Whether names do not determine what it refers to, because its unit has several definitions of
  /// a tag. Then only the ids in its words do.
  bool needs_own_node = false;
};

/// Whether a type is a declaration that R2 may resolve: by what other tags mean in its unit.
bool may_resolve_by_binding(const ClassTable& table, const Definitions& definitions,
                            const TaintedType& type);

/// Fills in `binding` and `needs_own_node` of `types`, whose units are known. A type with a node of
/// its own gets a binding only if R2 needs it. `is_tainted` is by node of the graph.
/// `needs_own_node` is by unit: whether all of its types need nodes of their own. Units are added
/// in which a tag has two meanings, and units that depend on those.
void find_bindings(const ClassTable& table, const TagGraph& graph,
                   const std::vector<bool>& is_tainted, const Definitions& definitions,
                   std::span<TaintedType> types, std::vector<bool> needs_own_node);

}  // namespace bpflink
