// Bindings: what the ambiguous tags that a type reaches mean in its unit.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "dedup/ambiguity/taint.hpp"
#include "dedup/deduplication.hpp"

namespace bpflink {

/// A tainted type of an input or of the base.
struct TaintedType {
  uint32_t input;       ///< 0 is the base; an input is its index plus 1
  uint32_t index;       ///< in Input::class_of_type, or the id in the base
  uint32_t type_class;  ///< from its key
};

/// By tainted type: its binding, if R2 needs it: if it declares or defines a tag that is not
/// ambiguous, and that some input declares and some input or the base defines. Empty if there is no
/// such tag. `is_tainted` is by node of the graph. Errors: inputs that define tags in so many ways
/// that the bindings would take too much time and memory.
std::expected<std::vector<uint32_t>, Error> find_bindings(const Deduplication& d,
                                                          const TagGraph& graph,
                                                          const std::vector<bool>& is_tainted,
                                                          const Definitions& definitions,
                                                          std::span<const TaintedType> types);

}  // namespace bpflink
