// Which instructions the kernel's verifier reaches.
//
// If a kernel lacks the target of a CO-RE relocation, the loader replaces its instruction with an
// invalid call. That harms a program only if the verifier gets there. Code behind
// bpf_core_field_exists() is *guarded*: the loader puts a constant into the test, and the verifier
// does not follow a branch whose condition it knows to be false.
//
// The analysis is conditional constant propagation. It walks the code as the verifier does, from
// the start of each program, with the constants that the loader puts in (walk.hpp), and skips
// branches that constants decide. It never calls code unreached that the verifier reaches, see
// abstract_state.hpp.
//
// Variables of .rodata are also constants to the verifier, but user space may set them before the
// load. A first walk finds the code that is reached whatever their values are; a second walk finds
// the code that is not reached with the values in the object. The code between the two rests on an
// assumption: the variables that decided branches in the programs that contain it. Not all of these
// may matter, but no other variable does.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "linker/program/code_facts.hpp"
#include "linker/program/code_graph.hpp"
#include "linker/program/settings.hpp"
#include "linker/program/shared_list.hpp"
#include "linker/program/walk.hpp"

namespace bpflink {

struct InsnReach {
  bool reached = false;
  /// The programs that reach it or, if it is not reached, that contain it, in the object's order.
  /// Empty for code that no program calls.
  ProgramList programs = {};
  /// If it is not reached: the assumptions that this rests on.
  SharedList<CoreAssumption> assumes = {};
};

class Reachability {
 public:
  /// Takes time proportional to the code's size. `graph` must outlive the result.
  Reachability(const CodeGraph& graph, const CodeFacts& facts);

  /// Whether the instruction at byte `offset` of section `section` is reached.
  InsnReach find(uint32_t section, uint64_t offset);
  /// The same without what leads there.
  bool is_reached(uint32_t section, uint64_t offset) const;
  /// The programs that contain it, reached or not: those that a loader loads with it.
  ProgramList programs_containing(uint32_t section, uint64_t offset);
  /// All programs of lists that this has returned, by name.
  ProgramList merge(std::span<const ProgramList> lists);
  /// Whether CodeFacts::max_steps were not enough. Then no programs are named, and all settings
  /// are.
  bool is_exhausted() const { return steps_ >= max_steps_; }

 private:
  template <typename Visit>
  void visit_functions(const std::vector<uint32_t>& from, const Graph& edges, Visit visit);
  std::vector<uint32_t> programs_among_users(const std::vector<uint32_t>& functions);
  ProgramList find_programs_of(std::vector<uint32_t> contexts);
  ProgramList find_programs(const std::vector<uint32_t>& functions);
  SharedList<CoreAssumption> assumptions(uint32_t of);
  std::vector<uint32_t> contexts_that_reach(uint32_t function, uint32_t block) const;
  bool is_reached(const Walk& walk, uint32_t block, uint64_t offset) const;

  const CodeGraph& graph_;
  Settings settings_;
  Walk base_, assumed_;  ///< without settings, and with all of them
  uint64_t max_steps_;
  Graph contexts_of_;                                     ///< by function
  std::vector<uint32_t> seen_contexts_, seen_functions_;  ///< the last round that saw each
  uint32_t round_ = 0;
  uint64_t steps_ = 0;

  // What is known already: most code of a function has the same programs.
  ProgramLists lists_;
  std::map<std::vector<uint32_t>, ProgramList> programs_of_contexts_, programs_of_functions_;
  std::map<uint32_t, SharedList<CoreAssumption>> assumptions_in_;  ///< by function
  std::map<SettingSet, SharedList<CoreAssumption>> assumptions_of_;
};

}  // namespace bpflink
