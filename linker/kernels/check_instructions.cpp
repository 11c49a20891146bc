// Checks instructions that later releases brought.
#include <fmt/format.h>

#include "linker/kernels/kernel_needs.hpp"
#include "linker/object/verifier_rules.hpp"

namespace bpflink {

void KernelNeeds::check_instructions() {
  for (const auto& [feature, places] : code.feature_uses) {
    if (kernel.has(feature) == Knowledge::Known) continue;
    const KernelFeatureRow& row = row_of(feature);
    bool is_anywhere = kernel.has_release(row.refused_anywhere_before) == Knowledge::Absent;
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
