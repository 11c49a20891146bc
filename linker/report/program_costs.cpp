// A program costs its own instructions and those of every function that it can reach, as the
// verifier goes through all of them, and the stack of the deepest chain of calls.
#include "linker/report/program_costs.hpp"

#include <algorithm>
#include <unordered_map>

#include "bpflink/print.hpp"
#include "dedup/internal.hpp"
#include "linker/report/stack_use.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

/// Functions looked at for all programs together: many programs that share many functions would
/// take the square of their number. What is beyond has no figures of its subprograms.
constexpr uint64_t most_visits = 20'000'000;

/// What a program reaches: indices in OutputGraph::entities, in the order of the walk.
struct Reach {
  std::vector<uint32_t> functions, maps, variables;  ///< of functions, the program itself first
};

class Walker {
 public:
  explicit Walker(const OutputGraph& graph) : graph_(graph), seen_(graph.entities.size()) {}

  /// Variables and maps are not walked on from: a loader decides what is in them.
  Reach walk(uint32_t program) {
    Reach reach;
    ++round_;
    visit(program, reach);
    for (size_t i = 0; i < reach.functions.size() && visits_ < most_visits; ++i)
      for (uint32_t used : graph_.uses.edges(reach.functions[i])) visit(used, reach);
    return reach;
  }

 private:
  void visit(uint32_t index, Reach& reach) {
    ++visits_;
    if (std::exchange(seen_[index], round_) == round_) return;
    const OutputEntity& entity = graph_.entities[index];
    auto& list = entity.is_function() ? reach.functions
                 : entity.is_map()    ? reach.maps
                                      : reach.variables;
    list.push_back(index);
  }

  const OutputGraph& graph_;
  std::vector<uint32_t> seen_;  ///< the round in which each was seen last
  uint32_t round_ = 0;
  uint64_t visits_ = 0;
};

std::span<const std::byte> code_of(const OutputEntity& entity) {
  std::span<const std::byte> code = entity.section->data;
  uint64_t begin = std::min<uint64_t>(entity.begin(), code.size());
  return code.subspan(begin, std::min<uint64_t>(entity.symbol->size, code.size() - begin));
}

/// By entity: the bytes of stack of a function and of the deepest chain of calls from it; nothing
/// for one that may call itself. Functions are taken when all that they call are known.
std::vector<std::optional<uint64_t>> find_deepest(const OutputGraph& graph,
                                                  const std::vector<uint64_t>& own) {
  uint32_t count = graph.uses.size();
  auto is_call = [&](uint32_t from, uint32_t to) {
    return graph.entities[from].is_function() && graph.entities[to].is_function();
  };
  std::vector<uint32_t> unknown(count);
  Graph callers = Graph::make(count, [&](auto add) {
    for (uint32_t from = 0; from < count; ++from)
      for (uint32_t to : graph.uses.edges(from))
        if (is_call(from, to)) add(to, from);
  });
  for (uint32_t caller : callers.targets) ++unknown[caller];
  std::vector<uint64_t> below(count);
  std::vector<std::optional<uint64_t>> deepest(count);
  std::vector<uint32_t> pending;
  for (uint32_t i = 0; i < count; ++i)
    if (unknown[i] == 0) pending.push_back(i);
  while (!pending.empty()) {
    uint32_t function = pending.back();
    pending.pop_back();
    deepest[function] = own[function] + below[function];
    for (uint32_t caller : callers.edges(function)) {
      below[caller] = std::max(below[caller], *deepest[function]);
      if (--unknown[caller] == 0) pending.push_back(caller);
    }
  }
  return deepest;
}

/// As libbpf has it: LIBBPF_PIN_NONE and LIBBPF_PIN_BY_NAME.
std::string describe_pinning(uint32_t pinning) {
  if (pinning == 0) return "none";
  return pinning == 1 ? "by name" : std::to_string(pinning);
}

/// What a map asks for where it is full. The kernel keeps values at multiples of 8 bytes; what it
/// needs for itself, such as the buckets of a hash, is not counted.
uint64_t most_bytes(const Map& map, std::string_view type) {
  constexpr uint64_t page = 4096;
  if (type.ends_with("ringbuf")) return map.max_entries;
  if (type == "arena") return map.max_entries * page;
  bool has_keys = type.ends_with("hash") || type == "lpm_trie" || type == "hash_of_maps";
  return map.max_entries *
         (align_up(map.value_size, 8) + (has_keys ? align_up(map.key_size, 8) : 0));
}

class ProgramDescription {
 public:
  ProgramDescription(const ObjectFile& output, const OutputGraph& graph, OutputReport& report)
      : output_(output), graph_(graph), report_(report), index_(output) {}

  void describe() {
    collect_programs(index_, contents_);
    // A map that is not one has been told of, and is in the output all the same.
    if (!collect_maps(index_, contents_)) contents_.maps.clear();
    collect_data_sections(index_, contents_);
    describe_programs();
    for (const Map& map : contents_.maps) describe(map);
    for (const DataSection& section : contents_.data_sections)
      for (const Variable& variable : section.variables) describe(section, variable);
  }

 private:
  void describe_programs() {
    std::vector<uint64_t> stacks(graph_.entities.size());
    for (size_t i = 0; i < stacks.size(); ++i)
      if (graph_.entities[i].is_function())
        stacks[i] = stack_use(code_of(graph_.entities[i]), output_.byte_order);
    std::vector<std::optional<uint64_t>> deepest = find_deepest(graph_, stacks);
    Walker walker(graph_);
    for (uint32_t i = 0; i < graph_.entities.size(); ++i) {
      const OutputEntity& entity = graph_.entities[i];
      if (!entity.is_program()) continue;
      ProgramCost cost{
          .name = std::string(entity.symbol->name),
          .section = std::string(entity.section->name),
          .type = std::string(program_type_name(section_meaning(entity.section->name).type)),
          .instructions = entity.symbol->size / insn_size,
          .stack = stacks[i],
          .deepest_stack = deepest[graph_.first_alias(i)]};
      Reach reach = walker.walk(graph_.first_alias(i));
      for (uint32_t function : reach.functions)
        cost.all_instructions += graph_.entities[function].symbol->size / insn_size;
      reach.functions.erase(reach.functions.begin());
      cost.subprograms = names(reach.functions);
      cost.maps = names(reach.maps);
      cost.variables = names(reach.variables);
      for (const auto& used : {reach.maps, reach.variables})
        for (uint32_t entity_used : used) users_[place(entity_used)].push_back(cost.name);
      report_.programs.push_back(std::move(cost));
    }
  }

  void describe(const Map& map) {
    std::string_view type = map_type_name(map.type);
    MapCost cost{.name = std::string(map.name),
                 .type = std::string(type),
                 .key = type_name(map.key_type_id),
                 .value = type_name(map.value_type_id),
                 .key_size = map.key_size,
                 .value_size = map.value_size,
                 .entries = map.max_entries,
                 .bytes = most_bytes(map, type),
                 .per_cpu = type.find("percpu") != std::string_view::npos,
                 .pinning = describe_pinning(map.pinning),
                 .programs = users_of(".maps", map.offset)};
    report_.maps.push_back(std::move(cost));
  }

  void describe(const DataSection& section, const Variable& variable) {
    report_.variables.push_back({.name = std::string(variable.name),
                                 .section = std::string(section.name),
                                 .type = type_name(variable.type_id),
                                 .linkage = variable.is_static ? "static"
                                            : variable.is_weak ? "weak"
                                                               : "global",
                                 .bytes = variable.size,
                                 .programs = users_of(section.name, variable.offset)});
  }

  std::string type_name(uint32_t id) const {
    return id == 0 ? "" : print_c_declaration(*output_.btf, id);
  }

  std::vector<std::string> names(const std::vector<uint32_t>& entities) const {
    std::vector<std::string> result;
    result.reserve(entities.size());
    for (uint32_t entity : entities) result.emplace_back(graph_.entities[entity].symbol->name);
    return result;
  }

  using Place = std::pair<std::string_view, uint64_t>;
  struct HashPlace {
    size_t operator()(const Place& place) const {
      return std::hash<std::string_view>()(place.first) ^ std::hash<uint64_t>()(place.second);
    }
  };
  Place place(uint32_t entity) const {
    return {graph_.entities[entity].section->name, graph_.entities[entity].begin()};
  }
  std::vector<std::string> users_of(std::string_view section, uint64_t offset) const {
    auto found = users_.find({section, offset});
    return found == users_.end() ? std::vector<std::string>() : found->second;
  }

  const ObjectFile& output_;
  const OutputGraph& graph_;
  OutputReport& report_;
  ObjectIndex index_;
  ObjectContents contents_;
  std::unordered_map<Place, std::vector<std::string>, HashPlace> users_;
};

}  // namespace

void describe_programs(const ObjectFile& output, const OutputGraph& graph, OutputReport& report) {
  ProgramDescription(output, graph, report).describe();
}

}  // namespace bpflink
