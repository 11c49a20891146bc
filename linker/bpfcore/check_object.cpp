#include "linker/bpfcore/check_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace bpflink {
namespace {

using What = KernelFinding::What;

/// The value that a loader gives to an extern of .kconfig, if known.
std::optional<uint64_t> kconfig_value(const Kernel& kernel, std::string_view name) {
  if (!name.starts_with("CONFIG_") || !kernel.config) return std::nullopt;
  auto value = kernel.config->find(name);
  if (!value) return 0;
  switch (value->kind) {
    case ConfigValue::Kind::Number:
      return value->number;
    case ConfigValue::Kind::Tristate: {
      // The values of libbpf's enum libbpf_tristate.
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

/// Facts about externs from the findings and the kernel, by name.
struct KnownExterns {
  std::unordered_map<std::string_view, std::optional<bool>> ksyms{};  ///< whether they exist
  std::unordered_map<std::string_view, std::optional<uint64_t>> kconfig{};

  KnownExterns(const std::vector<KernelFinding>& findings, const Kernel& kernel) {
    for (const KernelFinding& finding : findings) {
      if (finding.what == What::ConfigOption)
        kconfig.try_emplace(finding.name, kconfig_value(kernel, finding.name));
      if (!is_ksym(finding.what)) continue;
      std::optional<bool> exists;
      if (finding.status != KernelFinding::Status::Unknown)
        exists = finding.status == KernelFinding::Status::Ok;
      ksyms.try_emplace(finding.name, exists);
    }
  }

  template <typename Value>
  static std::optional<Value> find(
      const std::unordered_map<std::string_view, std::optional<Value>>& map,
      std::string_view name) {
    auto found = map.find(name);
    return found == map.end() ? std::nullopt : found->second;
  }
};

/// Whether a kernel's BTF lists functions: minimized BTF does not.
bool lists_functions(const BtfView& types) {
  for (uint32_t id = types.end_id(); --id > 0;)
    if (types.kind(id) == BtfKind::Func) return true;
  return false;
}

/// Whether a finding needs a kernel's list of functions, or other data that minimized BTF lacks.
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

/// The extern that a finding is about, or the program that needs it; null for neither.
const InputSymbol* symbol_of(const KernelFinding& finding, const CoreObject& object) {
  bool is_extern = is_ksym(finding.what) || finding.what == What::ConfigOption;
  std::string_view name = is_extern ? finding.name : finding.user;
  auto found = std::ranges::find_if(object.file().symbols, [&](const InputSymbol& symbol) {
    return symbol.name == name && symbol.is_defined() != is_extern;
  });
  return name.empty() || found == object.file().symbols.end() ? nullptr : &*found;
}

/// The reason as a whole sentence: for options and members it begins with the subject.
std::string sentence_of(const KernelFinding& finding) {
  if (finding.reason.empty()) return "";
  if (finding.what == What::ConfigOption) return fmt::format("{} {}", finding.name, finding.reason);
  if (finding.what == What::StructOpsMember)
    return fmt::format("struct_ops member {} {}", finding.name, finding.reason);
  return finding.reason;
}

CoreFinding to_core(const KernelFinding& finding, const CoreObject& object) {
  CoreFinding result{.kind = std::string(kernel_finding_name(finding.what)),
                     .name = finding.name,
                     .status = to_status(finding.status),
                     .what = sentence_of(finding),
                     .note = finding.note};
  bool fails = result.status == CoreStatus::Fails;
  result.fails_to_attach = fails && finding.stage == KernelFinding::Stage::Attach;
  if (result.fails_to_attach) result.status = CoreStatus::Unknown;
  result.is_zero = finding.status == KernelFinding::Status::BecomesZero;
  if (object.summary.program_index.contains(finding.user)) result.programs.push_back(finding.user);
  if (fails) result.symbol = symbol_of(finding, object);
  return result;
}

}  // namespace

ObjectVerdict check_object(const CoreObject& object, const KernelNeeds& needs, const Kernel& kernel,
                           const CoreKernel& types, const BpfcoreOptions& options) {
  std::optional<ObjectCheck> check;
  // The reached code depends on which weak externs the kernel has, and a missing helper matters
  // only in reached code.
  auto start = [&](const std::vector<KernelFinding>& found) -> ObjectCheck& {
    if (check) return *check;
    KnownExterns known(found, kernel);
    CoreFacts facts{
        .version = kernel.version_code.value_or(0),
        .kconfig = [&](std::string_view name) { return known.find(known.kconfig, name); },
        .has_ksym = [&](std::string_view name) { return known.find(known.ksyms, name); },
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
