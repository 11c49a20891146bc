// What programs cost, and which programs use the maps and variables.
//
// A program costs its own instructions and those of every function that it can reach, because the
// verifier goes through all of them. It costs the stack of the deepest chain of calls.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "bpflink/print.hpp"
#include "dedup/for_linker.hpp"
#include "linker/program/address_uses.hpp"
#include "linker/program/object_contents.hpp"
#include "linker/report/output_parts.hpp"
#include "linker/types/map_definition.hpp"

namespace bpflink {
namespace {

/// By part: the bytes of stack of a function and of the deepest chain of calls from it; nothing
/// for one that may call itself. A function is known when all that it calls are known.
std::vector<std::optional<uint64_t>> find_deepest(const OutputParts& parts,
                                                  const std::vector<uint64_t>& own) {
  uint32_t count = parts.uses.size();
  Graph callers = Graph::make(count, [&](auto add) {
    for (uint32_t from = 0; from < count; ++from)
      for (uint32_t to : parts.uses.edges(from))
        if (parts.parts[from].is_function() && parts.parts[to].is_function()) add(to, from);
  });
  std::vector<uint32_t> unknown(count);  // how many of the called functions are
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

std::string attach_type_of(const SectionMeaning& meaning) {
  bool is_ingress = meaning.type == ProgramType::CgroupSkb && meaning.target == "ingress";
  if (meaning.attach_type == 0 && !is_ingress) return "";  // 0 is also ingress's number
  return std::string(attach_type_name(meaning.attach_type));
}

/// The values are libbpf's: LIBBPF_PIN_NONE and LIBBPF_PIN_BY_NAME.
std::string describe_pinning(uint32_t pinning) {
  if (pinning == 0) return "none";
  return pinning == 1 ? "by name" : std::to_string(pinning);
}

/// References to look at, for all programs together: for many programs that share many functions,
/// the effort grows with the square of their number. Further programs get no figures of
/// subprograms.
constexpr uint64_t visit_limit = 1'000'000;

class ProgramDescription {
 public:
  ProgramDescription(const ObjectFile& output, const OutputParts& parts, OutputModel& model)
      : output_(output), parts_(parts), model_(model), last_user_(parts.parts.size()) {
    for (const InputSection& section : output.sections)
      section_index_.try_emplace(section.name, section.index);
  }

  void describe() {
    ObjectIndex index(output_);
    ObjectContents contents;
    collect_programs(index, contents);
    collect_maps(index, contents);
    collect_data_sections(index, contents);
    describe(contents.programs);
    for (const Map& map : contents.maps) describe(map, users_of(".maps", map.offset));
    for (const DataSection& section : contents.data_sections) {
      if (section.kind == DataSection::Kind::Percpu && section.size != 0) describe(section);
      for (const Variable& variable : section.variables) describe(section, variable);
    }
  }

 private:
  void describe(const std::vector<Program>& programs) {
    std::vector<uint64_t> stacks;
    stacks.reserve(parts_.parts.size());
    for (const OutputPart& part : parts_.parts)
      stacks.push_back(part.is_function() ? stack_use(code_of(part), output_.byte_order) : 0);
    std::vector<std::optional<uint64_t>> deepest = find_deepest(parts_, stacks);
    for (const Program& program : programs) {
      uint32_t own = find_part(program.section, program.offset);
      if (own == no_node) continue;
      ProgramCost cost{.name = cut_name(program.name),
                       .section = cut_name(program.section),
                       .type = std::string(program_type_name(program.meaning.type)),
                       .attach_type = attach_type_of(program.meaning),
                       .instructions = program.size / insn_size,
                       .stack = stacks[own],
                       .deepest_stack = deepest[own]};
      for (uint32_t index : walk(own)) add_use(cost, index, index == own);
      model_.programs.push_back(std::move(cost));
    }
  }

  std::span<const std::byte> code_of(const OutputPart& part) const {
    return output_.sections[part.section].data.subspan(part.offset, part.size);
  }

  /// The parts that a program reaches, itself first. Variables and maps lead nowhere: a loader
  /// decides what is in them.
  std::vector<uint32_t> walk(uint32_t program) {
    std::vector<uint32_t> reached = {program};
    last_user_[program] = ++user_;
    for (size_t i = 0; i < reached.size() && visits_ < visit_limit; ++i) {
      if (i > 0 && !parts_.parts[reached[i]].is_function()) continue;
      for (uint32_t used : parts_.uses.edges(reached[i])) {
        ++visits_;
        if (std::exchange(last_user_[used], user_) != user_) reached.push_back(used);
      }
    }
    if (visits_ >= visit_limit) reached.resize(1);
    return reached;
  }

  void add_use(ProgramCost& cost, uint32_t index, bool is_entry) {
    const OutputPart& part = parts_.parts[index];
    if (is_entry || part.is_function()) {  // a program without a size has no part of its own
      cost.all_instructions += part.size / insn_size;
      if (!is_entry) cost.subprograms.push_back(cut_name(part.name));
    } else if (part.kind == "map" || part.kind == "variable") {
      (part.kind == "map" ? cost.maps : cost.variables).push_back(cut_name(part.name));
      users_[index].push_back(static_cast<uint32_t>(model_.programs.size()));
    }
  }

  void describe(const Map& map, std::vector<std::string> users) {
    std::string_view type = map_type_name(map.type);
    model_.maps.push_back({.name = cut_name(map.name),
                           .type = std::string(type),
                           .key = type_name(map.key_type_id),
                           .value = type_name(map.value_type_id),
                           .key_size = map.key_size,
                           .value_size = map.value_size,
                           .entries = map.max_entries,
                           .bytes = full_map_bytes(map),
                           .per_cpu = type.find("percpu") != std::string_view::npos,
                           .pinning = describe_pinning(map.pinning),
                           .programs = std::move(users)});
  }

  /// The map that the loader makes of a section of per-CPU variables, whose memory the object does
  /// not show: its bytes are there for each CPU.
  void describe(const DataSection& section) {
    constexpr uint32_t index_size = 4;
    Map map{.name = section.name,
            .type = map_type_percpu_array,
            .key_size = index_size,
            .value_size = static_cast<uint32_t>(section.size),
            .max_entries = 1};
    std::set<uint32_t> users;
    for (const Variable& variable : section.variables)
      if (auto found = users_.find(find_part(section.name, variable.offset)); found != users_.end())
        users.insert(found->second.begin(), found->second.end());
    std::vector<std::string> names;
    names.reserve(users.size());
    for (uint32_t user : users) names.push_back(model_.programs[user].name);
    describe(map, std::move(names));
  }

  void describe(const DataSection& section, const Variable& variable) {
    model_.variables.push_back({.name = cut_name(variable.name),
                                .section = cut_name(section.name),
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

  uint32_t find_part(std::string_view section, uint64_t offset) const {
    auto index = section_index_.find(section);
    return index == section_index_.end() ? no_node : parts_.find(index->second, offset);
  }

  std::vector<std::string> users_of(std::string_view section, uint64_t offset) const {
    std::vector<std::string> names;
    if (auto users = users_.find(find_part(section, offset)); users != users_.end())
      for (uint32_t user : users->second) names.push_back(model_.programs[user].name);
    return names;
  }

  const ObjectFile& output_;
  const OutputParts& parts_;
  OutputModel& model_;
  std::unordered_map<std::string_view, uint32_t> section_index_;  ///< by name, the first
  std::unordered_map<uint32_t, std::vector<uint32_t>> users_;     ///< by part: the programs
  std::vector<uint32_t> last_user_;  ///< by part: the last program that reached it, counted from 1
  uint32_t user_ = 0;
  uint64_t visits_ = 0;
};

}  // namespace

void describe_programs(const ObjectFile& output, const OutputParts& parts, OutputModel& model) {
  ProgramDescription(output, parts, model).describe();
}

}  // namespace bpflink
