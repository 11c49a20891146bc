#include "linker/code/reachability.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "linker/code/settings.hpp"
#include "linker/code/walk.hpp"

namespace bpflink {
namespace {

/// A limit on evaluated instructions, in both walks together: a multiple of the instructions in the
/// code, and a minimum.
constexpr uint64_t work_per_insn = 32, work_at_least = 1u << 20;

struct Walks {
  Walk base;     ///< without settings
  Walk assumed;  ///< with all of them
};

Walks walk_with_settings(const CodeGraph& graph, const CodeFacts& facts, Settings& settings) {
  uint64_t work_left = work_at_least + work_per_insn * graph.insns.size();
  Walks walks{.base = walk_code(graph, facts, settings, 0, work_left), .assumed = {}};
  // A walk may use settings that the one before did not reach.
  bool has_settings = walks.base.is_complete && settings.all() != 0;
  if (has_settings) walks.assumed = walk_code(graph, facts, settings, ~SettingSet{0}, work_left);
  if (!has_settings || !walks.assumed.is_complete) walks.assumed = walks.base;
  return walks;
}

/// Contexts by function.
Graph group_contexts(const Walk& walk, uint32_t functions) {
  return Graph::make(functions, [&](auto add) {
    for (uint32_t i = 0; i < walk.contexts.size(); ++i) add(walk.contexts[i].function, i);
  });
}

}  // namespace

struct Reachability::Impl {
  Impl(const CodeGraph& code, const CodeFacts& facts)
      : graph(code),
        settings(code, facts.known),
        walks(walk_with_settings(code, facts, settings)),
        max_steps(facts.max_steps),
        contexts_of(group_contexts(walks.assumed, function_count())),
        seen_contexts(walks.assumed.contexts.size()),
        seen_functions(function_count()) {}

  uint32_t function_count() const { return static_cast<uint32_t>(graph.functions.size()); }

  /// Visits the functions, and those that they lead to through `edges`, each once.
  template <typename Visit>
  void visit_functions(const std::vector<uint32_t>& from, const Graph& edges, Visit visit) {
    ++round;
    std::vector<uint32_t> open;
    auto add = [&](uint32_t function) {
      if (std::exchange(seen_functions[function], round) != round) open.push_back(function);
    };
    for (uint32_t function : from) add(function);
    while (!open.empty() && ++steps < max_steps) {
      uint32_t function = open.back();
      open.pop_back();
      visit(function);
      for (uint32_t next : edges.edges(function)) add(next);
    }
  }

  /// The programs that lead to the contexts.
  ProgramList find_programs_of(std::vector<uint32_t> contexts) {
    auto [known, is_new] = programs_of_contexts.try_emplace(contexts);
    if (!is_new) return known->second;
    ++round;
    std::vector<uint32_t> entered;
    while (!contexts.empty() && ++steps < max_steps) {
      const WalkedContext& context = walks.assumed.contexts[contexts.back()];
      contexts.pop_back();
      for (uint32_t caller : context.callers)
        if (std::exchange(seen_contexts[caller], round) != round) contexts.push_back(caller);
      if (context.is_entry) entered.push_back(context.function);
    }
    return known->second = find_programs(entered);
  }

  /// The programs that contain the functions through any code.
  ProgramList find_programs(const std::vector<uint32_t>& functions) {
    auto [known, is_new] = programs_of_functions.try_emplace(functions);
    if (!is_new) return known->second;
    std::vector<uint32_t> programs;
    visit_functions(functions, graph.users, [&](uint32_t function) {
      if (graph.functions[function].is_program) programs.push_back(function);
    });
    if (is_exhausted()) return {};
    std::ranges::sort(programs);
    std::vector<std::string_view> names;
    names.reserve(programs.size());
    for (uint32_t program : programs) names.push_back(graph.functions[program].name);
    return known->second = lists.share(ProgramList(std::move(names)));
  }

  bool is_exhausted() const { return steps >= max_steps; }

  /// The settings that decided branches in the programs that contain a function.
  SharedList<CoreAssumption> assumptions(uint32_t of) {
    auto [known, is_new] = assumptions_in.try_emplace(of);
    if (!is_new) return known->second;
    std::vector<uint32_t> programs;
    visit_functions({of}, graph.users, [&](uint32_t function) {
      if (graph.functions[function].is_program) programs.push_back(function);
    });
    SettingSet found = 0;
    visit_functions(programs, graph.uses, [&](uint32_t index) {
      const CodeFunction& function = graph.functions[index];
      for (uint32_t i = 0; i < function.block_count; ++i)
        found |= walks.assumed.blocks[function.first_block + i].settings;
    });
    if (is_exhausted() || found == 0) found = settings.all();
    auto [described, is_first] = assumptions_of.try_emplace(found);
    if (is_first) described->second = settings.describe(found);
    return known->second = described->second;
  }

  /// The contexts in which a block of a function is reached.
  std::vector<uint32_t> contexts_that_reach(uint32_t function, uint32_t block) const {
    std::vector<uint32_t> contexts;
    for (uint32_t index : contexts_of.edges(function)) {
      const WalkedContext& context = walks.assumed.contexts[index];
      bool is_all = context.is_reached.empty();
      if (is_all || context.is_reached[block - graph.functions[function].first_block])
        contexts.push_back(index);
    }
    return contexts;
  }

  InsnReach find(uint32_t section, uint64_t offset) {
    uint32_t function = graph.find_function(section, static_cast<int64_t>(offset));
    if (function == no_function || !graph.is_loaded[function]) return {};
    auto reached_by = [&](ProgramList programs) {
      return InsnReach{.reached = true, .programs = std::move(programs)};
    };
    if (!walks.assumed.is_complete || graph.functions[function].block_count == 0)
      return reached_by(find_programs({function}));
    uint32_t block = graph.find_block(section, offset);
    if (is_reached(walks.assumed, block, offset))
      return reached_by(find_programs_of(contexts_that_reach(function, block)));
    InsnReach result{.reached = false, .programs = find_programs({function})};
    if (is_reached(walks.base, block, offset)) result.assumes = assumptions(function);
    return result;
  }

  bool is_reached(uint32_t section, uint64_t offset) const {
    uint32_t function = graph.find_function(section, static_cast<int64_t>(offset));
    if (function == no_function || !graph.is_loaded[function]) return false;
    if (!walks.assumed.is_complete || graph.functions[function].block_count == 0) return true;
    return is_reached(walks.assumed, graph.find_block(section, offset), offset);
  }

  bool is_reached(const Walk& walk, uint32_t block, uint64_t offset) const {
    uint32_t end = walk.blocks[block].reached_end;
    return end != 0 && graph.insns[end - 1].at >= offset;
  }

  const CodeGraph& graph;
  Settings settings;
  Walks walks;
  const uint64_t max_steps;
  Graph contexts_of;
  std::vector<uint32_t> seen_contexts, seen_functions;  ///< the last round that saw each
  uint32_t round = 0;
  uint64_t steps = 0;

  // What is known already: most code of a function has the same programs.
  ProgramLists lists;
  std::map<std::vector<uint32_t>, ProgramList> programs_of_contexts, programs_of_functions;
  std::map<uint32_t, SharedList<CoreAssumption>> assumptions_in;  ///< by function
  std::map<SettingSet, SharedList<CoreAssumption>> assumptions_of;
};

Reachability::Reachability(const CodeGraph& graph, const CodeFacts& facts)
    : impl_(std::make_unique<Impl>(graph, facts)) {}
Reachability::~Reachability() = default;
Reachability::Reachability(Reachability&&) noexcept = default;
Reachability& Reachability::operator=(Reachability&&) noexcept = default;

InsnReach Reachability::find(uint32_t section, uint64_t offset) {
  return impl_->find(section, offset);
}

bool Reachability::is_reached(uint32_t section, uint64_t offset) const {
  return impl_->is_reached(section, offset);
}

ProgramList Reachability::programs_containing(uint32_t section, uint64_t offset) {
  uint32_t function = impl_->graph.find_function(section, static_cast<int64_t>(offset));
  if (function == no_function) return {};
  return impl_->find_programs({function});
}

ProgramList Reachability::merge(std::span<const ProgramList> lists) {
  ProgramList all = impl_->lists.merge(lists);
  std::vector<std::string_view> names(all.begin(), all.end());
  std::ranges::sort(names);
  return impl_->lists.share(ProgramList(std::move(names)));
}

bool Reachability::is_exhausted() const {
  return impl_->is_exhausted();
}

}  // namespace bpflink
