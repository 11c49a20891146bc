#include "linker/program/reachability.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink {
namespace {

/// A limit on evaluated instructions, in both walks together: a multiple of the instructions in the
/// code, and a minimum.
constexpr uint64_t work_per_insn = 32, work_at_least = 1u << 20;

}  // namespace

Reachability::Reachability(const CodeGraph& graph, const CodeFacts& facts)
    : graph_(graph),
      settings_(graph, facts.known),
      max_steps_(facts.max_steps),
      seen_functions_(graph.functions.size()) {
  uint64_t work_left = work_at_least + work_per_insn * graph.insns.size();
  base_ = walk_code(graph, facts, settings_, 0, work_left);
  // A walk may use settings that the one before did not reach.
  bool has_settings = base_.is_complete && settings_.all() != 0;
  if (has_settings) assumed_ = walk_code(graph, facts, settings_, ~SettingSet{0}, work_left);
  if (!has_settings || !assumed_.is_complete) assumed_ = base_;
  auto functions = static_cast<uint32_t>(graph.functions.size());
  contexts_of_ = Graph::make(functions, [&](auto add) {
    for (uint32_t i = 0; i < assumed_.contexts.size(); ++i) add(assumed_.contexts[i].function, i);
  });
  seen_contexts_.resize(assumed_.contexts.size());
}

/// Visits the functions, and those that they lead to through `edges`, each once.
template <typename Visit>
void Reachability::visit_functions(const std::vector<uint32_t>& from, const Graph& edges,
                                   Visit visit) {
  ++round_;
  std::vector<uint32_t> open;
  auto add = [&](uint32_t function) {
    if (std::exchange(seen_functions_[function], round_) != round_) open.push_back(function);
  };
  for (uint32_t function : from) add(function);
  while (!open.empty() && ++steps_ < max_steps_) {
    uint32_t function = open.back();
    open.pop_back();
    visit(function);
    for (uint32_t next : edges.edges(function)) add(next);
  }
}

/// The functions that are programs and lead to these.
std::vector<uint32_t> Reachability::programs_among_users(const std::vector<uint32_t>& functions) {
  std::vector<uint32_t> programs;
  visit_functions(functions, graph_.users, [&](uint32_t function) {
    if (graph_.functions[function].is_program) programs.push_back(function);
  });
  return programs;
}

/// The programs that lead to the contexts.
ProgramList Reachability::find_programs_of(std::vector<uint32_t> contexts) {
  auto [known, is_new] = programs_of_contexts_.try_emplace(contexts);
  if (!is_new) return known->second;
  ++round_;
  std::vector<uint32_t> entered;
  while (!contexts.empty() && ++steps_ < max_steps_) {
    const WalkedContext& context = assumed_.contexts[contexts.back()];
    contexts.pop_back();
    for (uint32_t caller : context.callers)
      if (std::exchange(seen_contexts_[caller], round_) != round_) contexts.push_back(caller);
    if (context.is_entry) entered.push_back(context.function);
  }
  return known->second = find_programs(entered);
}

/// The programs that contain the functions through any code.
ProgramList Reachability::find_programs(const std::vector<uint32_t>& functions) {
  auto [known, is_new] = programs_of_functions_.try_emplace(functions);
  if (!is_new) return known->second;
  std::vector<uint32_t> programs = programs_among_users(functions);
  if (is_exhausted()) return {};
  std::ranges::sort(programs);
  std::vector<std::string_view> names;
  names.reserve(programs.size());
  for (uint32_t program : programs) names.push_back(graph_.functions[program].name);
  return known->second = lists_.share(ProgramList(std::move(names)));
}

/// The settings that decided branches in the programs that contain a function.
SharedList<CoreAssumption> Reachability::assumptions(uint32_t of) {
  auto [known, is_new] = assumptions_in_.try_emplace(of);
  if (!is_new) return known->second;
  SettingSet found = 0;
  visit_functions(programs_among_users({of}), graph_.uses, [&](uint32_t index) {
    const CodeFunction& function = graph_.functions[index];
    for (uint32_t i = 0; i < function.block_count; ++i)
      found |= assumed_.blocks[function.first_block + i].settings;
  });
  if (is_exhausted() || found == 0) found = settings_.all();
  auto [described, is_first] = assumptions_of_.try_emplace(found);
  if (is_first) described->second = settings_.describe(found);
  return known->second = described->second;
}

/// The contexts in which a block of a function is reached.
std::vector<uint32_t> Reachability::contexts_that_reach(uint32_t function, uint32_t block) const {
  std::vector<uint32_t> contexts;
  for (uint32_t index : contexts_of_.edges(function)) {
    const WalkedContext& context = assumed_.contexts[index];
    bool is_all = context.is_reached.empty();
    if (is_all || context.is_reached[block - graph_.functions[function].first_block])
      contexts.push_back(index);
  }
  return contexts;
}

InsnReach Reachability::find(uint32_t section, uint64_t offset) {
  uint32_t function = graph_.find_function(section, static_cast<int64_t>(offset));
  if (function == no_function || !graph_.is_loaded[function]) return {};
  auto reached_by = [&](ProgramList programs) {
    return InsnReach{.reached = true, .programs = std::move(programs)};
  };
  if (!assumed_.is_complete || graph_.functions[function].block_count == 0)
    return reached_by(find_programs({function}));
  uint32_t block = graph_.find_block(section, offset);
  if (is_reached(assumed_, block, offset))
    return reached_by(find_programs_of(contexts_that_reach(function, block)));
  InsnReach result{.reached = false, .programs = find_programs({function})};
  if (is_reached(base_, block, offset)) result.assumes = assumptions(function);
  return result;
}

bool Reachability::is_reached(uint32_t section, uint64_t offset) const {
  uint32_t function = graph_.find_function(section, static_cast<int64_t>(offset));
  if (function == no_function || !graph_.is_loaded[function]) return false;
  if (!assumed_.is_complete || graph_.functions[function].block_count == 0) return true;
  return is_reached(assumed_, graph_.find_block(section, offset), offset);
}

bool Reachability::is_reached(const Walk& walk, uint32_t block, uint64_t offset) const {
  uint32_t end = walk.blocks[block].reached_end;
  return end != 0 && graph_.insns[end - 1].at >= offset;
}

ProgramList Reachability::programs_containing(uint32_t section, uint64_t offset) {
  uint32_t function = graph_.find_function(section, static_cast<int64_t>(offset));
  return function == no_function ? ProgramList() : find_programs({function});
}

ProgramList Reachability::merge(std::span<const ProgramList> lists) {
  ProgramList all = lists_.merge(lists);
  std::vector<std::string_view> names(all.begin(), all.end());
  std::ranges::sort(names);
  return lists_.share(ProgramList(std::move(names)));
}

}  // namespace bpflink
