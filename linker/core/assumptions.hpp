// The variables on which unreached code depends.
#pragma once

#include <vector>

#include "linker/core/walk.hpp"

namespace bpflink {

/// The walks and what was made of them.
struct AssumedWalks {
  Walk base;     ///< without settings
  Walk assumed;  ///< with all of them
  /// By block: settings with which alone it is not reached; 0 where that is so without, or where it
  /// is reached.
  std::vector<SettingSet> needs;
};

AssumedWalks walk_with_settings(const CodeGraph& graph, const CodeFacts& facts, Settings& settings);

}  // namespace bpflink
