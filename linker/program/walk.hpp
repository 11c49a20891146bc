// One walk through an object's code, like the verifier's.
//
// A function is walked once for each set of arguments that it is called with (a context), because
// the verifier enters static functions with what it knows at the call. Programs, global functions
// and callbacks are entered with unknown arguments. Each block of a context has a state. States are
// joined where paths meet, and a block whose state changed is evaluated again. Values only become
// less known, so the walk ends; a limit on the work stops it early on hostile code.
#pragma once

#include <cstdint>
#include <vector>

#include "linker/program/abstract_state.hpp"
#include "linker/program/code_facts.hpp"
#include "linker/program/code_graph.hpp"
#include "linker/program/settings.hpp"

namespace bpflink {

/// What happened in a block, in all contexts.
struct BlockVisit {
  uint32_t reached_end = 0;  ///< one past the last reached instruction in CodeGraph::insns; 0: none
  SettingSet settings = 0;   ///< the settings that decided the jump
};

/// A function walked with certain arguments.
struct WalkedContext {
  uint32_t function = 0;
  bool is_entry = false;          ///< a program or a global function, entered by the verifier
  std::vector<bool> is_reached;   ///< by block of the function; empty if all of it is
  std::vector<uint32_t> callers;  ///< contexts that call it or have its address
};

struct Walk {
  /// Whether the walk finished. Otherwise all code counts as reached.
  bool is_complete = true;
  std::vector<BlockVisit> blocks;  ///< by index in CodeGraph::blocks
  std::vector<WalkedContext> contexts;
};

/// Walks all loaded code, with the settings in `assumed` as constants. Each evaluation of an
/// instruction takes one from `work_left`.
Walk walk_code(const CodeGraph& graph, const CodeFacts& facts, Settings& settings,
               SettingSet assumed, uint64_t& work_left);

}  // namespace bpflink
