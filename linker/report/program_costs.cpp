// A program costs its own instructions and those of every function that it can reach, as the
// verifier goes through all of them, and the stack of the deepest chain of calls.
#include "linker/report/program_costs.hpp"

#include <algorithm>
#include <unordered_map>

#include "bpflink/print.hpp"
#include "dedup/internal.hpp"
#include "linker/elf/stack_use.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

/// References looked at for all programs together: what many programs that share many functions
/// take grows with the square of their number. Programs beyond have no figures of subprograms.
constexpr uint64_t most_visits = 3'000'000;

/// What a program reaches: indices in OutputParts::parts, in the order of the walk.
struct Reach {
  std::vector<uint32_t> functions = {}, maps = {}, variables = {};  ///< functions: itself first
};

class Walker {
 public:
  explicit Walker(const OutputParts& parts) : parts_(parts), seen_(parts.parts.size()) {}

  /// Variables and maps are not walked on from: a loader decides what is in them.
  Reach walk(uint32_t program) {
    Reach reach{.functions = {program}};
    seen_[program] = ++round_;
    for (size_t i = 0; i < reach.functions.size() && visits_ < most_visits; ++i)
      for (uint32_t used : parts_.uses.edges(reach.functions[i])) visit(used, reach);
    return visits_ < most_visits ? reach : Reach{.functions = {program}};
  }

 private:
  void visit(uint32_t index, Reach& reach) {
    ++visits_;
    if (std::exchange(seen_[index], round_) == round_) return;
    const OutputPart& part = parts_.parts[index];
    if (part.is_function()) reach.functions.push_back(index);
    if (part.kind == "map") reach.maps.push_back(index);
    if (part.kind == "variable") reach.variables.push_back(index);
  }

  const OutputParts& parts_;
  std::vector<uint32_t> seen_;  ///< the round in which each was seen last
  uint32_t round_ = 0;
  uint64_t visits_ = 0;
};

/// By part: the bytes of stack of a function and of the deepest chain of calls from it; nothing
/// for one that may call itself. Functions are taken when all that they call are known.
std::vector<std::optional<uint64_t>> find_deepest(const OutputParts& parts,
                                                  const std::vector<uint64_t>& own) {
  uint32_t count = parts.uses.size();
  auto is_call = [&](uint32_t from, uint32_t to) {
    return parts.parts[from].is_function() && parts.parts[to].is_function();
  };
  std::vector<uint32_t> unknown(count);
  Graph callers = Graph::make(count, [&](auto add) {
    for (uint32_t from = 0; from < count; ++from)
      for (uint32_t to : parts.uses.edges(from))
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
  ProgramDescription(const ObjectFile& output, const OutputParts& parts, OutputModel& model)
      : output_(output), parts_(parts), model_(model), index_(output) {}

  void describe() {
    collect_programs(index_, contents_);
    // A map that is not one has been told of, and is in the output all the same.
    if (!collect_maps(index_, contents_)) contents_.maps.clear();
    collect_data_sections(index_, contents_);
    describe_programs();
    uint32_t section_of_maps = index_of(".maps");
    for (const Map& map : contents_.maps) describe(map, section_of_maps);
    for (const DataSection& section : contents_.data_sections) {
      uint32_t index = index_of(section.name);
      for (const Variable& variable : section.variables) describe(section, variable, index);
    }
  }

 private:
  void describe_programs() {
    std::vector<uint64_t> stacks;
    stacks.reserve(parts_.parts.size());
    for (const OutputPart& part : parts_.parts)
      stacks.push_back(part.is_function() ? stack_use(code_of(part), output_.byte_order) : 0);
    std::vector<std::optional<uint64_t>> deepest = find_deepest(parts_, stacks);
    Walker walker(parts_);
    for (const InputSymbol* found : find_programs()) {
      const InputSymbol& symbol = *found;
      const InputSection& section = output_.sections[symbol.section];
      uint32_t program = parts_.find(section.index, symbol.value);
      if (program == no_node) continue;
      ProgramCost cost{.name = std::string(symbol.name),
                       .section = std::string(section.name),
                       .type = std::string(program_type_name(section_meaning(section.name).type)),
                       .instructions = symbol.size / insn_size,
                       .stack = stacks[program],
                       .deepest_stack = deepest[program]};
      Reach reach = walker.walk(program);
      for (uint32_t function : reach.functions)
        cost.all_instructions += parts_.parts[function].size / insn_size;
      reach.functions.erase(reach.functions.begin());
      cost.subprograms = names(reach.functions);
      cost.maps = names(reach.maps);
      cost.variables = names(reach.variables);
      for (const auto& used : {reach.maps, reach.variables})
        for (uint32_t part : used) users_[part].push_back(cost.name);
      model_.programs.push_back(std::move(cost));
    }
  }

  /// By section and offset.
  std::vector<const InputSymbol*> find_programs() const {
    std::vector<const InputSymbol*> programs;
    for (const InputSymbol& symbol : output_.symbols)
      if (symbol.place == InputSymbol::Place::Section && symbol.type == STT_FUNC &&
          !symbol.is_local() && output_.sections[symbol.section].holds_programs())
        programs.push_back(&symbol);
    std::ranges::stable_sort(programs, {}, [](const InputSymbol* symbol) {
      return std::pair(symbol->section, symbol->value);
    });
    return programs;
  }

  std::span<const std::byte> code_of(const OutputPart& part) const {
    return output_.sections[part.section].data.subspan(part.offset, part.size);
  }

  void describe(const Map& map, uint32_t section) {
    std::string_view type = map_type_name(map.type);
    model_.maps.push_back({.name = std::string(map.name),
                           .type = std::string(type),
                           .key = type_name(map.key_type_id),
                           .value = type_name(map.value_type_id),
                           .key_size = map.key_size,
                           .value_size = map.value_size,
                           .entries = map.max_entries,
                           .bytes = most_bytes(map, type),
                           .per_cpu = type.find("percpu") != std::string_view::npos,
                           .pinning = describe_pinning(map.pinning),
                           .programs = users_of(section, map.offset)});
  }

  void describe(const DataSection& section, const Variable& variable, uint32_t index) {
    model_.variables.push_back({.name = std::string(variable.name),
                                .section = std::string(section.name),
                                .type = type_name(variable.type_id),
                                .linkage = variable.is_static ? "static"
                                           : variable.is_weak ? "weak"
                                                              : "global",
                                .bytes = variable.size,
                                .programs = users_of(index, variable.offset)});
  }

  std::string type_name(uint32_t id) const {
    return id == 0 ? "" : print_c_declaration(*output_.btf, id);
  }

  std::vector<std::string> names(const std::vector<uint32_t>& parts) const {
    std::vector<std::string> result;
    result.reserve(parts.size());
    for (uint32_t part : parts) result.push_back(parts_.parts[part].name);
    return result;
  }

  uint32_t index_of(std::string_view name) const {
    const InputSection* section = output_.find_section(name);
    return section ? section->index : 0;
  }

  std::vector<std::string> users_of(uint32_t section, uint64_t offset) const {
    auto users = users_.find(parts_.find(section, offset));
    return users == users_.end() ? std::vector<std::string>() : users->second;
  }

  const ObjectFile& output_;
  const OutputParts& parts_;
  OutputModel& model_;
  ObjectIndex index_;
  ObjectContents contents_;
  std::unordered_map<uint32_t, std::vector<std::string>> users_;  ///< by part
};

}  // namespace

void describe_programs(const ObjectFile& output, const OutputParts& parts, OutputModel& model) {
  ProgramDescription(output, parts, model).describe();
}

}  // namespace bpflink
