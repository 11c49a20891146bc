// An order of types that depends on nothing but what they say.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/ambiguity/instances.hpp"

namespace bpflink {

/// A hash of each class's contents, strings and other classes included, and
/// anchors by name. Unlike the numbers of classes and nodes it does not depend
/// on the order of the inputs.
std::vector<uint64_t> rank_by_content(const TypeTable& table);

/// The same of each node's contents, but through anchors to a depth of a few.
std::vector<uint64_t> rank_by_content(const TypeTable& table, const InstanceGraph& graph);

}  // namespace bpflink
