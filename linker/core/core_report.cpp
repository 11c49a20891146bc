#include "linker/core/core_report.hpp"

#include <algorithm>

namespace bpflink {

std::string_view core_status_name(CoreStatus status) {
  constexpr std::string_view names[] = {"resolves", "guarded", "unknown", "fails"};
  return names[static_cast<size_t>(status)];
}

std::vector<CoreStatus> CoreReport::program_statuses(size_t object, size_t kernel) const {
  const ObjectSummary& summary = *objects[object];
  const ObjectVerdict& verdict = verdicts[kernel][object];
  std::vector<CoreStatus> statuses(summary.programs.size());
  CoreStatus of_all = CoreStatus::Resolves;
  auto worsen = [&](const auto& names, CoreStatus status) {
    if (names.empty()) of_all = std::max(of_all, status);
    for (std::string_view name : names) {
      auto found = summary.program_index.find(name);
      if (found != summary.program_index.end())
        statuses[found->second] = std::max(statuses[found->second], status);
    }
  };
  for (const RelocationVerdict& relocation : verdict.relocations) {
    // Code that no program calls stops no program. But one relocation that cannot be applied keeps
    // the whole object from loading.
    if (relocation.outcome == CoreOutcome::Failed)
      of_all = std::max(of_all, relocation.status);
    else if (!relocation.programs.empty())
      worsen(relocation.programs, relocation.status);
  }
  for (const CoreFinding& finding : verdict.findings)
    if (finding.status != CoreStatus::Unknown) worsen(finding.programs, finding.status);
  for (CoreStatus& status : statuses) status = std::max(status, of_all);
  return statuses;
}

bool CoreReport::is_optional(size_t object, const std::vector<std::string_view>& programs) const {
  const ObjectSummary& summary = *objects[object];
  return !programs.empty() && std::ranges::all_of(programs, [&](std::string_view name) {
    auto found = summary.program_index.find(name);
    return found != summary.program_index.end() && summary.programs[found->second].is_optional;
  });
}

}  // namespace bpflink
