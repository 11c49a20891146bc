// The variables on which unreached code depends.
#pragma once

#include <vector>

#include "linker/core/walk.hpp"

namespace bpflink {

/// The walks and their result.
struct AssumedWalks {
  Walk base;     ///< without settings
  Walk assumed;  ///< with all of them
  /// By block: settings that alone make it unreached. 0 if it is unreached without settings, or
  /// reached with all.
  std::vector<SettingSet> needs;
};

AssumedWalks walk_with_settings(const CodeGraph& graph, const CodeFacts& facts, Settings& settings);

}  // namespace bpflink
