// What the object alone shows that loaders and verifiers refuse (verdicts/), on a kernel: its
// release decides whether it takes it, and its code which programs have it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linker/programs/bpfcore/needs/needs_check.hpp"

namespace bpflink {
namespace {

void report(const NeedsCheck& needs, const Verdict& verdict, CoreFinding& finding) {
  if (verdict.by == RefusedBy::Libbpf)
    return finding.leave_unknown(fmt::format("whether a loader takes {}", verdict.what),
                                 verdict.advice.empty()
                                     ? "libbpf does not open an object that has one"
                                     : "libbpf does not open it: " + verdict.advice);
  if (needs.kernel.has_release(verdict.refused_since) == Knowledge::Unknown)
    return finding.leave_unknown(verdict.what, release_advice);
  if (!verdict.lacks.empty())
    return needs.report_release(finding, verdict.brought, verdict.what, verdict.lacks,
                                verdict.advice);
  if (needs.kernel.has(verdict.brought) == Knowledge::Unknown && !verdict.is_in_no_kernel())
    return finding.leave_unknown(verdict.what, release_advice);
  finding.fail(verdict.what, verdict.advice);
}

}  // namespace

void NeedsCheck::check_verdicts() {
  for (const Verdict& verdict : verdicts) {
    if (kernel.has_release(verdict.refused_since) == Knowledge::Absent ||
        kernel.has(verdict.brought) == Knowledge::Known)
      continue;
    std::string_view symbol = verdict.symbols.empty() ? "" : verdict.symbols.front();
    if (verdict.by != RefusedBy::Verifiers || verdict.places.empty()) {
      CoreFinding& finding = add(verdict.need, verdict.name, symbol);
      if (verdict.by != RefusedBy::Verifiers) finding.programs = {};
      report(*this, verdict, finding);
      continue;
    }
    bool is_anywhere = verdict.anywhere_before == not_yet ||
                       kernel.has_release(verdict.anywhere_before) == Knowledge::Absent;
    const CodeUse use = is_anywhere ? CodeUse::Contained : CodeUse::Reached;
    ProgramList users = users_of(verdict.places, use);
    if (users.empty()) continue;
    CoreFinding& finding = add(verdict.need, verdict.name, std::move(users), verdict.places, use);
    if (verdict.is_of_symbol) {
      finding.symbol = symbol;
      finding.places = {};
    }
    report(*this, verdict, finding);
  }
}

}  // namespace bpflink
