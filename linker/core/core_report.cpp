#include "linker/core/core_report.hpp"

#include <algorithm>

namespace bpflink {

std::string_view core_status_name(CoreStatus status) {
  constexpr std::string_view names[] = {"resolves", "guarded", "unknown", "fails"};
  return names[static_cast<size_t>(status)];
}

std::vector<CoreStatus> CoreReport::program_statuses(size_t object, size_t kernel) const {
  const ObjectSummary& summary = objects[object];
  const ObjectVerdict& verdict = verdicts[kernel][object];
  std::vector<CoreStatus> statuses(summary.programs.size());
  auto worsen = [&](const auto& names, CoreStatus status) {
    for (size_t i = 0; i < summary.programs.size(); ++i)
      if (names.empty() || std::ranges::find(names, summary.programs[i].name) != names.end())
        statuses[i] = std::max(statuses[i], status);
  };
  for (const RelocationVerdict& relocation : verdict.relocations)
    // One relocation that cannot be made keeps the whole object from loading.
    worsen(relocation.outcome == CoreOutcome::Failed ? std::vector<std::string_view>()
                                                     : relocation.programs,
           relocation.status);
  for (const CoreFinding& finding : verdict.findings)
    if (finding.status != CoreStatus::Unknown) worsen(finding.programs, finding.status);
  return statuses;
}

bool CoreReport::is_optional(size_t object, const std::vector<std::string_view>& programs) const {
  return !programs.empty() && std::ranges::all_of(programs, [&](std::string_view name) {
    auto found = std::ranges::find(objects[object].programs, name, &CoreProgram::name);
    return found != objects[object].programs.end() && found->is_optional;
  });
}

}  // namespace bpflink
