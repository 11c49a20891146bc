// Checks what kernels demand of a program as a whole: its license, and the maps that it refers to;
// and instructions that later releases brought.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dedup/format/kinds.hpp"
#include "linker/kernels/kernel_needs.hpp"
#include "linker/object/gc_roots.hpp"
#include "linker/object/license.hpp"
#include "linker/object/section_roles.hpp"
#include "linker/object/verifier_rules.hpp"
#include "linker/types/value_rules.hpp"

namespace bpflink {
namespace {

/// The types of programs that no kernel loads without a GPL license.
bool needs_gpl(ProgramType type) {
  return type == ProgramType::StructOps || type == ProgramType::Lsm;
}

/// Programs of these types may run while others hold a lock, so they may not refer to one.
bool may_not_lock(ProgramType type) {
  using enum ProgramType;
  return type == Kprobe || type == Tracepoint || type == RawTracepoint ||
         type == RawTracepointWritable || type == PerfEvent || type == SocketFilter;
}

void check_licenses(KernelNeeds& needs) {
  if (is_gpl_compatible(needs.object.license())) return;
  for (const Program& program : needs.object.programs()) {
    if (!needs_gpl(program.meaning.type)) continue;
    std::string type(program_type_name(program.meaning.type));
    needs.add(CoreNeed::ProgramType, type, program.name)
        .fail(fmt::format("a {} program has no GPL license", type), std::string(gpl_advice));
  }
}

/// The instructions that have an address in a section of that role, by the section's index.
std::map<uint32_t, std::vector<InsnPlace>> uses_of(const ObjectFile& file, SectionRole role) {
  std::map<uint32_t, std::vector<InsnPlace>> uses;
  for (const InputSection& section : file.sections) {
    if (!section.is_code()) continue;
    for (const Relocation& relocation : section.relocations) {
      const InputSymbol& symbol = file.symbols[relocation.symbol];
      if (symbol.is_in_section() && file.sections[symbol.section].role == role)
        uses[symbol.section].push_back({section.index, relocation.offset});
    }
  }
  return uses;
}

/// A loader makes a map of the section, and its variables' addresses are those of elements. Where
/// it cannot, programs that have no such address load without the map.
void check_per_cpu_data(KernelNeeds& needs) {
  if (needs.kernel.has(KernelFeature::PerCpuData) == Knowledge::Known) return;
  const KernelFeatureRow& row = row_of(KernelFeature::PerCpuData);
  const ObjectFile& file = needs.code.file();
  for (const auto& [index, places] : uses_of(file, SectionRole::Percpu)) {
    const InputSection& section = file.sections[index];
    ProgramList users = needs.users_of(places, CodeUse::Contained);
    if (users.empty()) continue;
    const std::string thing = fmt::format("variables in section {}", section.name);
    CoreFinding& finding =
        needs.add(CoreNeed::MapType, std::string(section.name), std::move(users), {});
    needs.report_release(finding, row.brought, thing, thing, std::string(row.advice));
  }
}

/// Loaders put the callback behind the program's code. Older kernels refuse code that nothing
/// calls. For kernels without tags, loaders look for no callback.
void check_exception_callbacks(KernelNeeds& needs) {
  if (!needs.object.btf() ||
      needs.kernel.has(KernelFeature::ExceptionCallbacks) == Knowledge::Known ||
      needs.kernel.has_release(kind_row(BtfKind::DeclTag).since) == Knowledge::Absent)
    return;
  const KernelFeatureRow& row = row_of(KernelFeature::ExceptionCallbacks);
  std::map<std::string_view, InsnPlace> callbacks;
  for (const CodeFunction& function : needs.code.graph->functions)
    if (function.is_exception_callback)
      callbacks.try_emplace(function.name, InsnPlace{function.section, function.begin});
  for_each_tagged_callback(needs.code.file(), [&](std::string_view name, uint32_t type) {
    std::string_view user = needs.object.btf()->name(needs.object.btf()->type(type));
    if (!needs.object.find_program(user)) return;
    if (auto callback = callbacks.find(name); callback != callbacks.end()) {
      const ProgramList callers = needs.users_of({{callback->second}}, CodeUse::Reached);
      if (std::ranges::find(callers, user) != callers.end()) return;
    }
    const std::string thing(row.name);
    needs.report_release(needs.add(CoreNeed::Instructions, std::string(name), user), row.brought,
                         thing, thing, std::string(row.advice));
  });
}

void check_locks(KernelNeeds& needs) {
  if (!needs.object.btf()) return;
  for (const auto& [name, places] : needs.code.map_uses) {
    const Map* map = needs.object.find_map(name);
    if (!map || !ValueRules(needs.code.file()).has_lock(map->value_type_id)) continue;
    for (std::string_view user : needs.users_of(places, CodeUse::Contained)) {
      const Program* program = needs.object.find_program(user);
      if (!program || !may_not_lock(program->meaning.type)) continue;
      std::string_view type = program_type_name(program->meaning.type);
      needs.add(CoreNeed::MapType, std::string(name), user)
          .fail(
              fmt::format("{} programs may not use map {}, which has a bpf_spin_lock", type, name));
    }
  }
}

/// Kernels create a map without types whose value they do not accept, and do not lock its value.
void check_values(KernelNeeds& needs) {
  if (!needs.object.btf()) return;
  ValueRules rules(needs.code.file());
  std::vector<std::string_view> users;  // of each map with locks
  for (const Map& map : needs.object.maps())
    if (auto uses = needs.code.map_uses.find(map.name);
        uses != needs.code.map_uses.end() && rules.has_lock(map.value_type_id))
      for (std::string_view user : needs.users_of(uses->second, CodeUse::Contained))
        users.push_back(user);
  auto locking = needs.code.helper_calls.find(BPF_FUNC_spin_lock);
  if (users.empty() || locking == needs.code.helper_calls.end()) return;
  for (const Map& map : needs.object.maps()) {
    auto uses = needs.code.map_uses.find(map.name);
    if (uses == needs.code.map_uses.end()) continue;
    const ValueFault fault = rules.find_fault(map.value_type_id);
    Knowledge is_sought = needs.kernel.has_release(fault.since);
    if (fault.text.empty() || is_sought == Knowledge::Absent) continue;
    const ProgramList lockers = needs.users_of(locking->second, CodeUse::Reached);
    for (std::string_view user : needs.users_of(uses->second, CodeUse::Contained)) {
      if (std::ranges::find(lockers, user) == lockers.end()) continue;
      CoreFinding& finding = needs.add(CoreNeed::MapType, std::string(map.name), user);
      std::string what = fmt::format("map {} {}", map.name, fault.text);
      if (std::ranges::count(users, user) == 1 && is_sought == Knowledge::Known)
        finding.fail(std::move(what));
      else
        finding.leave_unknown(std::move(what), load_advice);
    }
  }
}

}  // namespace

void KernelNeeds::check_program_rules() {
  check_licenses(*this);
  check_per_cpu_data(*this);
  check_exception_callbacks(*this);
  check_locks(*this);
  check_values(*this);
  for (const auto& [reason, places] : code.wrong_maps) {
    const auto& [fault, map] = reason;
    ProgramList users = users_of(places, CodeUse::Reached);
    if (!users.empty())
      add(CoreNeed::MapType, std::string(map), std::move(users), places)
          .fail(fmt::format("{}, such as {}", fault, map));
  }
}

void KernelNeeds::check_instructions() {
  for (const auto& [feature, places] : code.feature_uses) {
    if (kernel.has(feature) == Knowledge::Known) continue;
    const KernelFeatureRow& row = row_of(feature);
    bool is_anywhere = row.refused_anywhere_before == not_yet ||
                       kernel.has_release(row.refused_anywhere_before) == Knowledge::Absent;
    CodeUse use = is_anywhere ? CodeUse::Contained : CodeUse::Reached;
    ProgramList programs = users_of(places, use);
    if (programs.empty()) continue;
    std::string name(row.name);
    report_release(add(CoreNeed::Instructions, name, std::move(programs), places, use), row.brought,
                   name, fmt::format("there are no {}, which", name), std::string(row.advice));
  }
  ProgramList programs = users_of(code.excess_arguments, CodeUse::Reached);
  if (programs.empty()) return;
  add(CoreNeed::Instructions, "arguments on the stack", std::move(programs), code.excess_arguments)
      .fail("a function loads an argument from the stack that its type does not have",
            std::string(excess_advice));
}

}  // namespace bpflink
