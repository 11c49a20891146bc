// Bindings: what the ambiguous tags that a type reaches mean in its unit.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "dedup/ambiguity/taint.hpp"
#include "dedup/deduplication.hpp"

namespace bpflink {

/// By tainted type: its binding, or 0. Only types of tags that R2 may resolve have one: tags that
/// are not ambiguous, are declared by some input, and defined by some input or the base. Empty if
/// there is no such tag. `reaches_ambiguous` is by node of the graph. Errors: inputs that define
/// tags in so many ways that the bindings would take too much time and memory.
std::expected<std::vector<uint32_t>, Error> find_bindings(
    const Deduplication& d, const TagGraph& graph, const std::vector<bool>& reaches_ambiguous,
    const Definitions& definitions, std::span<const TaintedType> types);

}  // namespace bpflink
