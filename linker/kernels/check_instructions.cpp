// Checks instructions that later releases brought.
#include <fmt/format.h>

#include "linker/kernels/kernel_needs.hpp"
#include "linker/object/verifier_rules.hpp"

namespace bpflink {

void KernelNeeds::check_instructions() {
  for (const auto& [feature, places] : code.feature_uses) {
    const InsnFeatureText& text = text_of(feature);
    Knowledge knowledge = kernel.has_release(text.since);
    if (knowledge == Knowledge::Known) continue;
    bool may_be_backported = kernel.has_release(text.backported_to) == Knowledge::Known;
    bool is_anywhere = kernel.has_release(text.refused_anywhere_before) == Knowledge::Absent;
    CodeUse use = is_anywhere ? CodeUse::Contained : CodeUse::Reached;
    ProgramList programs = users_of(places, use);
    if (programs.empty()) continue;
    CoreFinding& finding =
        add(CoreNeed::Instructions, std::string(text.name), std::move(programs), places, use);
    if (knowledge == Knowledge::Unknown || may_be_backported) {
      finding.leave_unknown(std::string(text.name),
                            may_be_backported ? load_advice : release_advice);
      continue;
    }
    finding.fail(fmt::format("there are no {}, which came with Linux {}.{}", text.name,
                             text.since.major, text.since.minor),
                 std::string(text.advice));
  }
  ProgramList programs = users_of(code.excess_arguments, CodeUse::Reached);
  if (programs.empty()) return;
  add(CoreNeed::Instructions, "arguments on the stack", std::move(programs), code.excess_arguments)
      .fail("a function loads an argument from the stack that its type does not have",
            std::string(excess_advice));
}

}  // namespace bpflink
