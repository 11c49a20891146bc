#include "linker/bpfcore/report.hpp"

#include <algorithm>

namespace bpflink {

std::vector<CoreStatus> CoreReport::program_statuses(size_t object, size_t kernel) const {
  std::vector<CoreStatus> statuses(objects[object].object.programs().size());
  CoreStatus of_all = CoreStatus::Resolves;
  for (const CoreFinding& finding : findings[kernel][object]) {
    // One relocation that cannot be applied keeps the whole object from loading. But code that no
    // program calls stops no program.
    bool is_of_all = finding.need == CoreNeed::Relocation ? finding.outcome == CoreOutcome::Failed
                                                          : finding.programs.empty();
    if (is_of_all) {
      of_all = std::max(of_all, finding.status);
      continue;
    }
    for (std::string_view name : finding.programs)
      if (auto program = objects[object].find_program(name))
        statuses[*program] = std::max(statuses[*program], finding.status);
  }
  for (CoreStatus& status : statuses) status = std::max(status, of_all);
  return statuses;
}

}  // namespace bpflink
