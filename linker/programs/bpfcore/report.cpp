#include "linker/programs/bpfcore/report.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace bpflink {

bool CoreReport::stops_all(size_t object, size_t record, const CoreFinding& finding) const {
  return finding.outcome == CoreOutcome::Failed &&
         !objects[object].is_skipped(objects[object].records[record]);
}

std::vector<CoreStatus> CoreReport::program_statuses(size_t object, size_t kernel) const {
  const std::vector<CoreStatus> alone = statuses_alone(object, kernel);
  std::vector<CoreStatus> statuses = alone;
  for (const StructOps& ops : objects[object].object.struct_ops()) {
    std::vector<size_t> together;
    CoreStatus worst = CoreStatus::Resolves;
    for (const StructOpsMember& member : ops.members)
      if (auto program = objects[object].find_program(member.program)) {
        together.push_back(*program);
        worst = std::max(worst, alone[*program]);
      }
    if (worst < CoreStatus::Unknown) continue;
    for (size_t program : together) statuses[program] = std::max(statuses[program], worst);
  }
  return statuses;
}

std::vector<CoreStatus> CoreReport::statuses_alone(size_t object, size_t kernel) const {
  std::vector<CoreStatus> statuses(objects[object].object.programs().size());
  CoreStatus of_all = CoreStatus::Resolves;
  /// The worst status of each list of programs, by its identity.
  std::unordered_map<const void*, std::pair<const ProgramList*, CoreStatus>> worst;
  const std::vector<CoreFinding>& of_object = findings[kernel][object];
  for (size_t i = 0; i < of_object.size(); ++i) {
    const CoreFinding& finding = of_object[i];
    // One relocation that cannot be applied keeps the whole object from loading. But code that no
    // program calls stops no program.
    bool is_relocation = finding.need == CoreNeed::Relocation;
    bool is_of_all = is_relocation ? stops_all(object, i, finding) : finding.programs.empty();
    if (is_of_all) {
      of_all = std::max(of_all, finding.status);
      continue;
    }
    auto& [list, status] = worst[finding.programs.identity()];
    list = &finding.programs;
    status = std::max(status, finding.status);
  }
  for (const auto& [identity, of_list] : worst)
    for (std::string_view name : *of_list.first)
      if (auto program = objects[object].find_program(name))
        statuses[*program] = std::max(statuses[*program], of_list.second);
  for (CoreStatus& status : statuses) status = std::max(status, of_all);
  return statuses;
}

}  // namespace bpflink
