// Which definition a forward declaration stands for, where its name has several.
#pragma once

#include <cstdint>
#include <vector>

#include "dedup/ambiguity/instances.hpp"

namespace bpflink {

/// The tainted types told apart.
struct Coloring {
  /// By node: equal colors mean the same type. A declaration that stands for a
  /// definition has the definition's color.
  std::vector<uint32_t> colors;
  /// References as InstanceGraph::references(), but to the definitions.
  Adjacency references;
};

Coloring color_instances(const TypeTable& table, const InstanceGraph& graph);

}  // namespace bpflink
