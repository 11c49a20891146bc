#include "linker/core/core_check.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <utility>

#include "linker/core/reachability.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

using Place = std::pair<uint32_t, uint64_t>;  ///< of an instruction: section and offset

/// Binds all relocations of an object, in their order. Returns what becomes of their instructions.
std::map<Place, BoundInsn> bind_relocations(const CoreObject& object, const CoreKernel& types,
                                            std::vector<RelocationVerdict>& verdicts) {
  std::map<Place, BoundInsn> insns;
  const std::vector<CoreRecord>& records = object.summary.records;
  if (records.empty()) return insns;
  const BtfView& program = *object.file->btf;
  CoreResolver resolver(program, object.file->byte_order, types);
  verdicts.reserve(records.size());
  for (const CoreRecord& record : records) {
    CoreResult result = resolver.resolve(record.relocation);
    bind_instruction(*object.file, record, result);
    RelocationVerdict& verdict = verdicts.emplace_back();
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

std::vector<CoreAssumption> to_assumptions(const std::vector<Assumption>& from) {
  std::vector<CoreAssumption> assumptions;
  for (const Assumption& assumption : from)
    assumptions.push_back({assumption.offset == 0
                               ? assumption.variable
                               : fmt::format("{}+{}", assumption.variable, assumption.offset),
                           assumption.value});
  return assumptions;
}

}  // namespace

std::vector<RelocationVerdict> check_relocations(const CoreObject& object, const CoreKernel& kernel,
                                                 const CoreFacts& facts) {
  std::vector<RelocationVerdict> verdicts;
  auto insns = bind_relocations(object, kernel, verdicts);
  CodeFacts code_facts{.core = [&](uint32_t section, uint64_t offset) -> const BoundInsn* {
                         auto found = insns.find({section, offset});
                         return found == insns.end() ? nullptr : &found->second;
                       },
                       .kconfig = [&](const InputSymbol& symbol) -> std::optional<uint64_t> {
                         if (symbol.name == "LINUX_KERNEL_VERSION" && facts.version != 0)
                           return facts.version;
                         return facts.kconfig ? facts.kconfig(symbol.name) : std::nullopt;
                       },
                       .settings = &facts.settings,
                       .strict = facts.strict,
                       .kernel_version = facts.version,
                       .continue_after_poison = true};
  Reachability reachability(*object.graph, code_facts);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    RelocationVerdict& relocation = verdicts[i];
    const CoreRecord& record = object.summary.records[i];
    InsnReach reach = reachability.find(record.section, record.offset);
    relocation.programs = std::move(reach.programs);
    if (relocation.outcome == CoreOutcome::Value) continue;
    bool is_harmless = !reach.reached && relocation.outcome == CoreOutcome::Absent;
    relocation.status = is_harmless ? CoreStatus::Guarded : CoreStatus::Fails;
    if (is_harmless) relocation.assumes = to_assumptions(reach.assumes);
  }
  return verdicts;
}

void keep_needed(const CoreObject& object, const CoreKernel& kernel, CoreMinimizer& minimizer) {
  if (object.summary.records.empty()) return;
  CoreResolver resolver(*object.file->btf, object.file->byte_order, kernel);
  for (const CoreRecord& record : object.summary.records) {
    resolver.resolve(record.relocation);
    minimizer.keep(record.relocation, resolver);
  }
}

std::expected<std::vector<CoreVerdict>, Error> check_core(std::span<const std::byte> object,
                                                          const CoreKernel& kernel,
                                                          const CoreFacts& facts) {
  try {
    auto read = CoreObject::read("object", object);
    if (!read) return std::unexpected(read.error());
    read->look_at_code();
    std::vector<CoreVerdict> verdicts;
    auto found = check_relocations(*read, kernel, facts);
    for (size_t i = 0; i < found.size(); ++i) {
      const CoreRecord& record = read->summary.records[i];
      RelocationVerdict& from = found[i];
      verdicts.push_back({.section = std::string(read->file->sections[record.section].name),
                          .index = record.index,
                          .offset = record.offset,
                          .kind = record.relocation.kind,
                          .access = read->summary.accesses[i],
                          .status = from.status,
                          .outcome = from.outcome,
                          .reason = from.reason,
                          .value = from.value,
                          .programs = {from.programs.begin(), from.programs.end()},
                          .assumes = std::move(from.assumes)});
      if (from.outcome != CoreOutcome::Value) verdicts.back().message = from.complaint->what;
    }
    return verdicts;
  } catch (const std::exception& exception) {
    return fail(exception.what());
  }
}

std::expected<std::vector<std::byte>, Error> minimize_core(
    std::span<const std::span<const std::byte>> objects, const CoreKernel& kernel,
    std::endian order) {
  try {
    CoreMinimizer minimizer(kernel);
    for (std::span<const std::byte> image : objects) {
      auto object = CoreObject::read("object", image);
      if (!object) return std::unexpected(object.error());
      keep_needed(*object, kernel, minimizer);
    }
    return minimizer.finish(order);
  } catch (const std::exception& exception) {
    return fail(exception.what());
  }
}

}  // namespace bpflink
