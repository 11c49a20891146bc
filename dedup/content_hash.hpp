// An order of types that depends on nothing but what they say.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/instances.hpp"

namespace bpflink {

/// A hash of each node's contents, strings and what it refers to included, to a
/// depth of a few anchors. Unlike the numbers of classes and nodes it does not
/// depend on the order of the inputs.
std::vector<uint64_t> rank_by_content(const TypeTable& table, const InstanceGraph& graph);

}  // namespace bpflink
