// Checks what kernels demand of a program as a whole: the maps and data that it refers to, and the
// callbacks that its tags name.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dedup/format/kinds.hpp"
#include "linker/facts/map_rules.hpp"
#include "linker/facts/section_roles.hpp"
#include "linker/facts/verifier_rules.hpp"
#include "linker/files/references.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"
#include "linker/types/map_definition.hpp"
#include "linker/types/value_rules.hpp"

namespace bpflink {
namespace {

/// Programs of these types run wherever the kernel is.
bool runs_anywhere(ProgramType type) {
  using enum ProgramType;
  return type == Kprobe || type == Tracepoint || type == RawTracepoint ||
         type == RawTracepointWritable || type == PerfEvent;
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
void check_per_cpu_data(NeedsCheck& needs) {
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
void check_exception_callbacks(NeedsCheck& needs) {
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

/// Checks one use of a map in a program, which verifiers find wherever it is.
void check_use(NeedsCheck& needs, const Map& map, const Program& program, ValueRules* rules) {
  auto require = [&](const Introduction& brought, const std::string& thing) {
    if (needs.kernel.has(brought) == Knowledge::Known) return;
    CoreFinding& finding = needs.add(CoreNeed::MapType, std::string(map.name), program.name);
    // The release of a kernel may not be known, but few are newer than those that were asked.
    if (brought.since == not_yet && needs.kernel.has_release(brought.perhaps) != Knowledge::Known)
      return finding.fail(fmt::format("no kernel takes {}", thing));
    needs.report_release(finding, brought, thing, fmt::format("there are no {}, which", thing));
  };
  std::string_view type = program_type_name(program.meaning.type);
  if (program.meaning.sleepable && map.type != BPF_MAP_TYPE_UNSPEC) {
    auto row = std::ranges::find(sleeping_uses, map.type, &SleepingUse::map_type);
    require(row == std::end(sleeping_uses) ? in_no_kernel : row->brought,
            fmt::format("maps of type {} in programs that sleep", map_type_name(map.type)));
  }
  if (!rules) return;
  for (const ValueField& field : value_fields) {
    if (needs.kernel.has_release(field.since) == Knowledge::Absent ||
        !rules->has_field(map.value_type_id, field.type))
      continue;
    std::string with = fmt::format("maps with a {} in ", field.type);
    if (program.meaning.type == ProgramType::SocketFilter)
      require(field.in_socket_filters, fmt::format("{}{} programs", with, type));
    if (runs_anywhere(program.meaning.type))
      require(field.in_tracing, fmt::format("{}{} programs", with, type));
    else if (program.meaning.sleepable)
      require(field.in_sleeping, with + "programs that sleep");
  }
}

void check_map_uses(NeedsCheck& needs) {
  std::optional<ValueRules> rules;
  if (needs.object.btf()) rules.emplace(needs.code.file());
  for (const auto& [name, places] : needs.code.map_uses)
    if (const Map* map = needs.object.find_map(name))
      for (std::string_view user : needs.users_of(places, CodeUse::Contained))
        if (const Program* program = needs.object.find_program(user))
          check_use(needs, *map, *program, rules ? &*rules : nullptr);
}

/// Kernels create a map without types whose value they do not accept, and do not lock its value.
void check_values(NeedsCheck& needs) {
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

void NeedsCheck::check_program_rules() {
  check_per_cpu_data(*this);
  check_exception_callbacks(*this);
  check_map_uses(*this);
  check_values(*this);
}

}  // namespace bpflink
