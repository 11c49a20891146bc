// The meaning, in its unit, of the ambiguous tags that a type can reach.
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
  uint32_t input;       ///< 0 is the base, others are one more than their index
  uint32_t index;       ///< of its element
  uint32_t type_class;  ///< its class
  uint32_t unit = 0;
  /// Types of one class are equal where their bindings are, but for those on their own.
  uint32_t binding = 0;
  bool is_own = false;  ///< only ids tell what it refers to
};

/// Whether a type is a declaration that R2 may resolve, by what its unit means by other tags.
bool is_declaration_to_bind(const ClassTable& table, const Definitions& definitions,
                            const TaintedType& type);

/// Fills in the bindings of `types`, which have their units, and which are on their own: of those
/// that are, only the bindings of declarations and definitions that R2 looks at. `is_tainted` is by
/// node of the graph. `is_own` says of which units all types are; units are added where a tag has
/// two meanings, and those that depend on them.
void find_bindings(const ClassTable& table, const TagGraph& graph,
                   const std::vector<bool>& is_tainted, const Definitions& definitions,
                   std::span<TaintedType> types, std::vector<bool> is_own);

}  // namespace bpflink
