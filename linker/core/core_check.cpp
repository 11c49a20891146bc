#include "linker/core/core_check.hpp"

#include <utility>

namespace bpflink {
namespace {

/// The answers to all relocations of an object, in their order.
std::vector<CoreResult> bind_relocations(const CoreObject& object, const CoreKernel& types,
                                         std::vector<CoreVerdict>& verdicts) {
  std::vector<CoreResult> results;
  const std::vector<CoreRecord>& records = object.summary.records;
  if (records.empty()) return results;
  const BtfView& program = *object.file->btf;
  CoreResolver resolver(program, object.file->byte_order, types);
  for (const CoreRecord& record : records) {
    CoreResult result = resolver.resolve(record.relocation);
    bind_instruction(*object.file, record, result);
    CoreVerdict& verdict = verdicts.emplace_back();
    verdict.outcome = result.outcome;
    verdict.reason = result.reason;
    verdict.value = result.value;
    if (result.outcome != CoreOutcome::Value)
      verdict.complaint = std::make_unique<CoreComplaint>(
          explain_failure(program, record.relocation, types, resolver, result));
    else if (auto difference = explain_difference(program, record.relocation, result))
      verdict.complaint = std::make_unique<CoreComplaint>(std::move(*difference));
    results.push_back(result);
  }
  return results;
}

}  // namespace

ObjectVerdict check_object(const CoreObject& object, const Kernel& kernel, const CoreKernel& types,
                           const CheckOptions& options) {
  ObjectVerdict verdict;
  auto results = bind_relocations(object, types, verdict.relocations);
  (void)kernel;
  (void)options;
  for (size_t i = 0; i < results.size(); ++i) {
    CoreVerdict& relocation = verdict.relocations[i];
    relocation.programs = {object.summary.records[i].function->name};
    relocation.status =
        results[i].outcome == CoreOutcome::Value ? CoreStatus::Resolves : CoreStatus::Fails;
  }
  return verdict;
}

}  // namespace bpflink
