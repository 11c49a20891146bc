// CO-RE: a hostile object and a hostile kernel's BTF. Resolves relocations, with the kernel's types
// and with those that CoreMinimizer keeps, and runs the reachability analysis on the object's code.
// Without a kernel's BTF, the object's own types stand for the kernel's.
#include "linker/programs/bpfcore/needs/core_check.hpp"
#include "tests/fuzz/pair.hpp"
#include "tests/fuzz/target.hpp"

namespace bpflink::fuzz {
namespace {

std::span<const std::byte> types_of(const ObjectFile& file) {
  for (const InputSection& section : file.sections)
    if (section.name == ".BTF") return section.data;
  return {};
}

/// Results with `kernel`, in order; nothing if the resolver gave up because types nest too deep or
/// are too many.
std::optional<std::vector<CoreResult>> resolve_all(const CoreObject& object,
                                                   const CoreKernel& kernel) {
  std::vector<CoreResult> results;
  if (object.records.empty()) return results;
  CoreResolver resolver(*object.file().btf, object.file().byte_order, kernel);
  bool gave_up = false;
  for (const CoreRecord& record : object.records) {
    const CoreResult& result = results.emplace_back(resolver.resolve(record.relocation));
    core_steps(*object.file().btf, record.relocation);
    bool has_value = result.outcome == CoreOutcome::Value;
    require(has_value || result.reason != CoreReason::None, "what has no value has a reason");
    for (const CoreCandidate& candidate : resolver.candidates())
      require(candidate.id < kernel.types(candidate.module).end_id(), "candidates are types");
    gave_up |= result.reason == CoreReason::TooDeep;
  }
  if (gave_up) return std::nullopt;
  return results;
}

void check_minimized(const CoreObject& object, const std::vector<CoreResult>& whole,
                     std::span<const std::byte> blob) {
  auto btf = Btf::parse(blob);
  require(btf.has_value(), "minimized BTF can be read");
  CoreKernel kernel(*btf);
  auto minimized = resolve_all(object, kernel);
  require(minimized.has_value(), "less is not deeper");
  for (size_t i = 0; i < whole.size(); ++i) {
    const CoreResult &with_all = whole[i], &with_needed = (*minimized)[i];
    bool is_id = object.records[i].relocation.kind == CoreKind::TypeIdTarget;
    if (with_all.outcome == with_needed.outcome && (is_id || with_all.value == with_needed.value))
      continue;
    std::fprintf(stderr, "relocation %zu: outcome %d, value %llu; minimized: %d, %llu\n", i,
                 int(with_all.outcome), static_cast<unsigned long long>(with_all.value),
                 int(with_needed.outcome), static_cast<unsigned long long>(with_needed.value));
    require(false, "minimized BTF gives the same results");
  }
}

CoreFacts facts_of(uint32_t choices) {
  auto chosen = [&](int bit) { return (choices >> bit & 1) != 0; };
  CoreFacts facts;
  facts.strict = chosen(0);
  if (chosen(1)) facts.version = 6 << 16 | 1 << 8;
  if (chosen(2)) facts.kconfig = [](std::string_view name) { return name.size(); };
  if (chosen(3)) facts.has_ksym = [](std::string_view name) { return name.size() % 2 == 0; };
  if (chosen(4)) facts.settings = {{"enabled", 1}, {"limits", 7}};
  return facts;
}

void check_findings(const CoreObject& object, const CoreKernel& kernel, uint32_t choices) {
  auto findings = ObjectCheck(object, kernel, facts_of(choices)).take_relocations();
  require(findings.size() == object.records.size(), "each relocation has a finding");
  for (const CoreFinding& finding : findings) {
    const CoreBinding& binding = *finding.binding;
    bool has_value = binding.outcome == CoreOutcome::Value;
    bool resolves = finding.status == CoreStatus::Resolves;
    // A plain access to a bit-field has a value, and fails.
    require(has_value || !resolves, "what resolves has a value");
    require(!has_value || resolves || finding.status == CoreStatus::Fails,
            "what has a value resolves or fails");
    require(resolves || (finding.complaint && !finding.complaint->what.empty()),
            "what does not resolve has a message");
    require(binding.assumes.empty() || finding.status == CoreStatus::Guarded,
            "guards rest on assumptions");
    require((choices & 1) == 0 || binding.assumes.empty() || (choices >> 4 & 1) != 0,
            "nothing is assumed in strict mode");
  }
}

}  // namespace
}  // namespace bpflink::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto pair = fuzz::Pair::read({data, size});
  std::span<const std::byte> image = std::as_bytes(pair.first);
  auto object = CoreObject::read("object", image);
  if (!object) {
    fuzz::require(!object.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  std::span<const std::byte> blob = std::as_bytes(pair.second);
  if (blob.empty()) blob = fuzz::types_of(object->file());
  auto types = Btf::parse(blob);
  if (!types) return 0;
  CoreKernel kernel(*types);

  auto whole = fuzz::resolve_all(*object, kernel);
  CoreMinimizer minimizer(kernel);
  keep_needed(*object, minimizer);
  auto minimized = minimizer.finish(std::endian::native);
  if (whole && minimized)
    fuzz::check_minimized(*object, *whole, *minimized);
  else if (!minimized)
    fuzz::require(!minimized.error().message.empty(), "an error says what is wrong");
  object->analyze_code();
  prepare_check(*object);
  fuzz::check_findings(*object, kernel, pair.choices);
  return 0;
}
