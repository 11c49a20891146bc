// The results of bpfcore check, which messages, the table, JSON and the page show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linker/code/core_finding.hpp"
#include "linker/code/core_object.hpp"
#include "linker/code/shared_list.hpp"
#include "linker/kernels/kernel_source.hpp"

namespace bpflink {

struct KernelSummary {
  std::string name;
  KernelIdentity identity;
};

struct CoreReport {
  const std::vector<CoreObject>& objects;
  std::vector<KernelSummary> kernels;
  /// By kernel, by object: first one for each of the object's relocations, in their order.
  std::vector<std::vector<std::vector<CoreFinding>>> findings;
  /// The lists of programs of all findings: equal ones are one list.
  ProgramLists lists{};
  uint64_t input_size = 0;  ///< bytes of objects and kernels

  /// Whether the finding for a relocation keeps the whole object from loading.
  bool stops_all(size_t object, size_t record, const CoreFinding& finding) const;
  /// The status of each program of an object: the worst of everything that it reaches, and of what
  /// the programs reach that a struct_ops map loads with it.
  std::vector<CoreStatus> program_statuses(size_t object, size_t kernel) const;
  /// The same without the other programs of its maps.
  std::vector<CoreStatus> statuses_alone(size_t object, size_t kernel) const;
};

}  // namespace bpflink
