#include "linker/core/core_check.hpp"

#include <map>
#include <utility>

#include "linker/core/reachability.hpp"

namespace bpflink {
namespace {

using Place = std::pair<uint32_t, uint64_t>;  ///< of an instruction: section and offset

/// Binds all relocations of an object, in their order. Returns what becomes of their instructions.
std::map<Place, BoundInsn> bind_relocations(const CoreObject& object, const CoreKernel& types,
                                            std::vector<CoreVerdict>& verdicts) {
  std::map<Place, BoundInsn> insns;
  const std::vector<CoreRecord>& records = object.summary.records;
  if (records.empty()) return insns;
  const BtfView& program = *object.file->btf;
  CoreResolver resolver(program, object.file->byte_order, types);
  verdicts.reserve(records.size());
  for (const CoreRecord& record : records) {
    CoreResult result = resolver.resolve(record.relocation);
    bind_instruction(*object.file, record, result);
    CoreVerdict& verdict = verdicts.emplace_back();
    verdict.outcome = result.outcome;
    verdict.reason = result.reason;
    verdict.value = result.value;
    bool is_bound = result.outcome == CoreOutcome::Value;
    if (!is_bound)
      verdict.complaint = std::make_unique<CoreComplaint>(
          explain_failure(program, record.relocation, types, resolver, result));
    else if (auto difference = explain_difference(program, record.relocation, result))
      verdict.complaint = std::make_unique<CoreComplaint>(std::move(*difference));
    BoundInsn insn{.is_poisoned = !is_bound};
    if (is_bound) insn.value = result.value;
    insns.emplace(Place(record.section, record.offset), insn);
  }
  return insns;
}

/// The value that a loader gives to an extern of .kconfig, as far as it is known.
std::optional<uint64_t> kconfig_value(const Kernel& kernel, std::string_view name) {
  if (name == "LINUX_KERNEL_VERSION") return kernel.version_code;
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

std::vector<CoreAssumption> to_assumptions(const std::vector<Assumption>& from) {
  std::vector<CoreAssumption> assumptions;
  for (const Assumption& assumption : from)
    assumptions.push_back({assumption.variable, assumption.value});
  return assumptions;
}

}  // namespace

ObjectVerdict check_object(const CoreObject& object, const Kernel& kernel, const CoreKernel& types,
                           const CheckOptions& options) {
  ObjectVerdict verdict;
  auto insns = bind_relocations(object, types, verdict.relocations);
  CodeFacts facts{
      .core = [&](uint32_t section, uint64_t offset) -> const BoundInsn* {
        auto found = insns.find({section, offset});
        return found == insns.end() ? nullptr : &found->second;
      },
      .kconfig = [&](const InputSymbol& symbol) { return kconfig_value(kernel, symbol.name); },
      .settings = &options.settings,
      .strict = options.strict,
      .kernel_version = kernel.version_code.value_or(0),
      .continue_after_poison = true};
  Reachability reachability(*object.graph, facts);
  for (size_t i = 0; i < verdict.relocations.size(); ++i) {
    CoreVerdict& relocation = verdict.relocations[i];
    const CoreRecord& record = object.summary.records[i];
    InsnReach reach = reachability.find(record.section, record.offset);
    relocation.programs = std::move(reach.programs);
    if (relocation.outcome == CoreOutcome::Value) continue;
    bool is_harmless = !reach.reached && relocation.outcome == CoreOutcome::Absent;
    relocation.status = is_harmless ? CoreStatus::Guarded : CoreStatus::Fails;
    if (is_harmless) relocation.assumes = to_assumptions(reach.assumes);
  }
  return verdict;
}

}  // namespace bpflink
