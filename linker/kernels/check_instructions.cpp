// Checks instructions that later releases brought.
#include <fmt/format.h>

#include "linker/kernels/kernel_needs.hpp"

namespace bpflink {
namespace {

/// Whether a kernel has what a release brought. Red Hat's kernels have parts of later ones.
Knowledge has_feature(const Kernel& kernel, LinuxRelease since) {
  auto code = version_code(kernel.identity.release);
  if (!code) return Knowledge::Unknown;
  if ((*code >> 8) >= (uint32_t{since.major} << 8 | since.minor)) return Knowledge::Known;
  bool is_patched = kernel.identity.release.find(".el") != std::string::npos;
  return is_patched ? Knowledge::Unknown : Knowledge::Absent;
}

}  // namespace

void KernelNeeds::check_instructions(const CoreObject& code, const UsersOf& users_of) {
  for (const auto& [feature, places] : code.feature_uses) {
    const InsnFeatureText& text = text_of(feature);
    Knowledge knowledge = has_feature(kernel, text.since);
    if (knowledge == Knowledge::Known) continue;
    auto programs = users_of(places);
    if (programs.empty()) continue;
    CoreFinding& finding = add(CoreNeed::Instructions, std::string(text.name), programs.front());
    finding.programs = std::move(programs);
    if (knowledge == Knowledge::Unknown) {
      finding.leave_unknown(std::string(text.name), release_advice);
      continue;
    }
    finding.status = CoreStatus::Fails;
    finding.complain(fmt::format("there are no {}, which came with Linux {}.{}", text.name,
                                 text.since.major, text.since.minor),
                     std::string(text.advice));
  }
}

}  // namespace bpflink
