// Rules about the definitions of maps, and which maps helpers take.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "linker/facts/map_rules.hpp"
#include "linker/program/code_facts.hpp"
#include "linker/program/map_arguments.hpp"
#include "linker/program/reachability.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/value_rules.hpp"
#include "linker/verdicts/verdict.hpp"

namespace bpflink {
namespace {

/// The code that programs reach both where kernels have all that CO-RE relocations ask for and
/// where they have nothing of it. Other code stands behind a guard: it never runs on some kernels,
/// and before a load on others user space may give a map another type.
class UnguardedCode {
 public:
  explicit UnguardedCode(const ObjectFile& object) : graph_(object) {
    graph_.find_blocks();
    BoundInsns bound[] = {{}, {}};
    constexpr uint32_t versions[] = {1, UINT32_MAX};  // the oldest and the newest
    object.for_each_core_relo([&](const InputSection& section, const CoreRelo& record) {
      for (uint64_t has : {0, 1}) bound[has][{section.index, record.insn_off}] = {false, has};
    });
    for (size_t has : {0, 1}) {
      CodeFacts facts{.bound = &bound[has]};
      facts.known.version = versions[has];
      reached_.emplace_back(graph_, facts);
    }
  }

  bool contains(const InsnPlace& place) const {
    return std::ranges::all_of(reached_, [&](const Reachability& walk) {
      return walk.is_reached(place.section, place.offset);
    });
  }

 private:
  CodeGraph graph_;
  std::vector<Reachability> reached_{};
};

uint32_t definition_of(const BtfView& types, const Map& map) {
  return skip_modifiers(types, types.type(map.var_id).type());
}

}  // namespace

void judge_definitions(const CoreObject& object, std::vector<Verdict>& verdicts) {
  const BtfView* types = object.object.btf();
  std::optional<ValueRules> values;
  const InputSection* section = object.file().find_linked_section(".maps");
  if (types) values.emplace(object.file());
  for (const Map& map : object.object.maps()) {
    auto add = [&](RefusedBy by, std::string_view fault) -> Verdict& {
      std::string_view which = by == RefusedBy::Libbpf ? ", which" : "";
      return verdicts.emplace_back(
          Verdict{.need = CoreNeed::MapType,
                  .name = "definition",
                  .by = by,
                  .what = fmt::format("map {}{} {}", map.name, which, fault),
                  .symbols = {map.name}});
    };
    if (map.is_static) {
      Verdict& verdict = add(RefusedBy::Loaders, "is static");
      verdict.advice = fmt::format(
          "remove static; what other files share, they declare: extern struct {{...}} {} "
          "SEC(\".maps\")",
          map.name);
      verdict.places = {{section->index, map.offset}};
    } else if (map.var_id == 0) {  // the link says how to compile the input
      add(RefusedBy::Loaders, "has no BTF that describes it").told_by = ToldBy::Bpfcore;
    } else if (std::string fault = find_map_fault(*types, definition_of(*types, map));
               !fault.empty()) {
      add(RefusedBy::Loaders, fault);
    } else if (fault = find_libbpf_fault(*types, map); !fault.empty()) {
      add(RefusedBy::Libbpf, fault);
    } else if (auto rule = find_rule_fault(map)) {
      Verdict& verdict =
          add(rule->is_of_libbpf ? RefusedBy::Libbpf : RefusedBy::Verifiers, rule->text);
      verdict.advice = std::move(rule->advice);
      if (rule->since != LinuxRelease{}) {
        verdict.brought = {rule->since};
        verdict.told_by = ToldBy::Bpfcore;
      }
    } else if (std::string value = values->find_fault(map.value_type_id).text; !value.empty()) {
      // Kernels create such a map without its types. Which programs lose by that, bpfcore knows.
      add(RefusedBy::Verifiers, value).told_by = ToldBy::Link;
    }
  }
}

/// libbpf takes one arena, and needs one for variables of .addr_space.1.
void judge_arenas(const CoreObject& object, std::vector<Verdict>& verdicts) {
  std::vector<std::string_view> arenas;
  for (const Map& map : object.object.maps())
    if (map.type == map_type_arena) arenas.push_back(map.name);
  for (const DataSection& section : object.object.data_sections())
    if (section.kind == DataSection::Kind::Arena && arenas.empty() && !section.variables.empty()) {
      std::string_view variable = section.variables.front().name;
      verdicts.push_back(
          {.need = CoreNeed::MapType,
           .name = "arena",
           .by = RefusedBy::Libbpf,
           .what = fmt::format("variables in an arena, such as {}, without a map of one", variable),
           .advice = "__uint(type, BPF_MAP_TYPE_ARENA)",
           .symbols = {variable}});
    }
  if (arenas.size() < 2) return;
  verdicts.push_back({.need = CoreNeed::MapType,
                      .name = "arena",
                      .by = RefusedBy::Libbpf,
                      .what = fmt::format("{} arenas", arenas.size()),
                      .symbols = std::move(arenas)});
}

void judge_map_arguments(const CoreObject& object, ToldBy by, std::vector<Verdict>& verdicts) {
  if (object.object.maps().empty()) return;
  const ObjectFile& file = object.file();
  std::map<std::pair<std::string, std::string_view>, std::vector<InsnPlace>> uses;
  for (const CodeFunction& function : object.graph->functions)
    for_each_relocated_argument(
        file.sections[function.section], function.begin, function.end,
        [&](uint64_t at, uint32_t helper, uint8_t reg, const Relocation& relocation,
            auto is_certain) {
          const Map* map = object.object.find_map(file.symbols[relocation.symbol].name);
          if (!map || reg != map_register(helper)) return;
          std::string fault = find_argument_fault(helper, map->type);
          if (!fault.empty() && is_certain())
            uses[{std::move(fault), map->name}].push_back({function.section, at});
        });
  std::optional<UnguardedCode> unguarded;  // bpfcore knows which code a kernel reaches
  if (by == ToldBy::Link && !uses.empty()) unguarded.emplace(file);
  for (auto& [reason, places] : uses) {
    const auto& [fault, map] = reason;
    if (unguarded)
      std::erase_if(places, [&](const InsnPlace& place) { return !unguarded->contains(place); });
    if (places.empty()) continue;
    verdicts.push_back({.need = CoreNeed::MapType,
                        .name = std::string(map),
                        .what = fmt::format("{}, such as {}", fault, map),
                        .symbols = {map},
                        .places = std::move(places)});
  }
}

}  // namespace bpflink
