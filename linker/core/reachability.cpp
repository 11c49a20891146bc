#include "linker/core/reachability.hpp"

#include <algorithm>
#include <utility>

#include "linker/core/assumptions.hpp"

namespace bpflink {
namespace {

/// A limit on steps from code to the programs that lead to it, for all calls of find() together.
/// Beyond it, no programs are named.
constexpr uint64_t max_steps = 50'000'000;

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
        contexts_of(group_contexts(walks.assumed, function_count())),
        seen_contexts(walks.assumed.contexts.size()),
        seen_functions(function_count()) {}

  uint32_t function_count() const { return static_cast<uint32_t>(graph.functions.size()); }

  /// The names of the programs that lead to the contexts, or that contain the functions through any
  /// code.
  std::vector<std::string_view> find_programs(std::vector<uint32_t> contexts,
                                              std::vector<uint32_t> functions) {
    ++round;
    std::vector<uint32_t> programs;
    auto visit_context = [&](uint32_t context) {
      if (std::exchange(seen_contexts[context], round) != round) contexts.push_back(context);
    };
    auto visit_function = [&](uint32_t function) {
      if (std::exchange(seen_functions[function], round) != round) functions.push_back(function);
    };
    while (!contexts.empty() && ++steps < max_steps) {
      const WalkedContext& context = walks.assumed.contexts[contexts.back()];
      contexts.pop_back();
      for (uint32_t caller : context.callers) visit_context(caller);
      if (context.is_entry) visit_function(context.function);
    }
    while (!functions.empty() && ++steps < max_steps) {
      uint32_t function = functions.back();
      functions.pop_back();
      if (graph.functions[function].is_program) programs.push_back(function);
      for (uint32_t user : graph.users.edges(function)) visit_function(user);
    }
    std::ranges::sort(programs);
    auto repeated = std::ranges::unique(programs);
    programs.erase(repeated.begin(), repeated.end());
    std::vector<std::string_view> names;
    names.reserve(programs.size());
    for (uint32_t program : programs) names.push_back(graph.functions[program].name);
    return names;
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
    if (!walks.assumed.is_complete || graph.functions[function].block_count == 0)
      return {.reached = true, .programs = find_programs({}, {function})};
    uint32_t block = graph.find_block(section, offset);
    if (is_reached(walks.assumed, block, offset))
      return {.reached = true, .programs = find_programs(contexts_that_reach(function, block), {})};
    InsnReach result{.reached = false, .programs = find_programs({}, {function})};
    if (is_reached(walks.base, block, offset))
      result.assumes = settings.describe(walks.needs[block]);
    return result;
  }

  bool is_reached(const Walk& walk, uint32_t block, uint64_t offset) const {
    uint32_t end = walk.blocks[block].reached_end;
    return end != 0 && graph.insns[end - 1].at >= offset;
  }

  const CodeGraph& graph;
  Settings settings;
  AssumedWalks walks;
  Graph contexts_of;
  std::vector<uint32_t> seen_contexts, seen_functions;  ///< the last round that saw each
  uint32_t round = 0;
  uint64_t steps = 0;
};

Reachability::Reachability(const CodeGraph& graph, const CodeFacts& facts)
    : impl_(std::make_unique<Impl>(graph, facts)) {}
Reachability::~Reachability() = default;
Reachability::Reachability(Reachability&&) noexcept = default;
Reachability& Reachability::operator=(Reachability&&) noexcept = default;

InsnReach Reachability::find(uint32_t section, uint64_t offset) {
  return impl_->find(section, offset);
}

}  // namespace bpflink
