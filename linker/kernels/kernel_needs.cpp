#include "linker/kernels/kernel_needs.hpp"

#include <fmt/format.h>

#include <utility>

namespace bpflink {

void KernelNeeds::check() {
  check_ksyms();
  check_kconfig();
  check_attach_targets();
  check_struct_ops();
  check_kernel_enums();
}

CoreFinding& KernelNeeds::add(CoreNeed need, std::string name, std::string_view symbol) {
  CoreFinding& finding = findings.emplace_back();
  finding.need = need;
  finding.name = std::move(name);
  finding.symbol = symbol;
  if (!is_extern(need) && object.find_program(symbol)) finding.programs.push_back(symbol);
  return finding;
}

void KernelNeeds::report_missing(CoreFinding& finding, std::string what, const WantedName& wanted,
                                 bool is_weak) {
  finding.complain(std::move(what));
  if (kernel.absence() == Knowledge::Unknown) {
    finding.status = CoreStatus::Unknown;
  } else if (is_weak) {
    finding.becomes_zero = true;
  } else {
    finding.status = CoreStatus::Fails;
    std::string similar;
    if (--searches_left >= 0)
      similar = kernel.similar_name(wanted.kind, wanted.prefix, wanted.name);
    if (!similar.empty())
      finding.complaint->advice = fmt::format("did you mean {}?", similar);
    else if (kernel.modules.empty())
      finding.complaint->advice = "no modules were searched";
  }
}

}  // namespace bpflink
