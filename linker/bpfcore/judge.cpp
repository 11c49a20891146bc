#include "linker/bpfcore/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace bpflink {
namespace {

using What = KernelFinding::What;

/// The value that a loader gives to an extern of .kconfig, as far as it is known.
std::optional<uint64_t> kconfig_value(const Kernel& kernel, std::string_view name) {
  if (!name.starts_with("CONFIG_") || !kernel.config) return std::nullopt;
  auto value = kernel.config->find(name);
  if (!value) return 0;
  switch (value->kind) {
    case ConfigValue::Kind::Number:
      return value->number;
    case ConfigValue::Kind::Tristate: {
      // As libbpf's enum libbpf_tristate has them.
      constexpr std::string_view states = "nym";
      return states.find(value->tristate);
    }
    case ConfigValue::Kind::Text:
      break;
  }
  return std::nullopt;
}

bool is_ksym(What what) {
  return what == What::Kfunc || what == What::KernelVariable || what == What::KernelSymbol;
}

/// Whether the kernel has what an extern of .ksyms names, as the findings say.
std::optional<bool> has_ksym(const std::vector<KernelFinding>& findings, std::string_view name) {
  for (const KernelFinding& finding : findings) {
    if (!is_ksym(finding.what) || finding.name != name) continue;
    if (finding.status == KernelFinding::Status::Unknown) return std::nullopt;
    return finding.status == KernelFinding::Status::Ok;
  }
  return std::nullopt;
}

/// Whether a kernel's BTF tells which functions there are: minimized BTF does not.
bool lists_functions(const BtfView& types) {
  for (uint32_t id = types.end_id(); --id > 0;)
    if (types.kind(id) == BtfKind::Func) return true;
  return false;
}

/// Whether it takes a kernel's list of functions, or what comes with it, to find this.
bool needs_functions(What what) {
  return is_ksym(what) || what == What::AttachTarget || what == What::StructOps;
}

CoreStatus to_status(KernelFinding::Status status) {
  switch (status) {
    case KernelFinding::Status::Ok:
    case KernelFinding::Status::BecomesZero:
      return CoreStatus::Resolves;
    case KernelFinding::Status::Fails:
      return CoreStatus::Fails;
    case KernelFinding::Status::Unknown:
      break;
  }
  return CoreStatus::Unknown;
}

CoreFinding to_core(const KernelFinding& finding, const CoreObject& object) {
  CoreFinding result{.kind = std::string(kernel_finding_name(finding.what)),
                     .name = finding.name,
                     .status = to_status(finding.status),
                     .what = finding.reason};
  result.note = finding.note;
  result.fails_to_attach =
      result.status == CoreStatus::Fails && finding.stage == KernelFinding::Stage::Attach;
  if (result.fails_to_attach) result.status = CoreStatus::Unknown;
  result.is_zero = finding.status == KernelFinding::Status::BecomesZero;
  bool is_program = std::ranges::find(object.summary.programs, finding.user, &CoreProgram::name) !=
                    object.summary.programs.end();
  if (is_program) result.programs.push_back(finding.user);
  return result;
}

}  // namespace

ObjectVerdict judge(const CoreObject& object, const KernelNeeds& needs, const Kernel& kernel,
                    const CoreKernel& types, const BpfcoreOptions& options) {
  std::optional<ObjectCheck> check;
  // Which code is reached depends on which weak externs the kernel has, and which helpers count on
  // which code is reached.
  auto start = [&](const std::vector<KernelFinding>& found) -> ObjectCheck& {
    if (check) return *check;
    CoreFacts facts{.version = kernel.version_code.value_or(0),
                    .kconfig = [&](std::string_view name) { return kconfig_value(kernel, name); },
                    .has_ksym = [&](std::string_view name) { return has_ksym(found, name); },
                    .settings = options.settings,
                    .strict = options.strict};
    return check.emplace(object, types, facts);
  };
  auto findings = needs.check(kernel, [&](uint32_t helper, const auto& found) {
    return start(found).programs_calling(helper);
  });
  ObjectVerdict verdict{start(findings).take_relocations(), {}};
  bool is_whole = lists_functions(kernel.btf);
  for (KernelFinding& finding : findings) {
    if (!is_whole && needs_functions(finding.what)) finding.status = KernelFinding::Status::Unknown;
    verdict.findings.push_back(to_core(finding, object));
  }
  return verdict;
}

}  // namespace bpflink
