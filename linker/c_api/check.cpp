// The C interface's check of BTF by the rules of kernels.
#include "bpflink/check.hpp"

#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_verdict {
  BtfVerdict verdict;
};

extern "C" {

bpflink_status bpflink_btf_check(const void* blob, size_t size, uint32_t use,
                                 const bpflink_btf* base, bpflink_verdict** verdict) {
  if (!verdict) return BPFLINK_ERROR_ARGUMENT;
  *verdict = nullptr;
  if (!blob || use > BPFLINK_BTF_OF_KERNEL) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    std::span bytes(static_cast<const std::byte*>(blob), size);
    *verdict = new bpflink_verdict{check_btf(bytes, use_of(use), base ? base->view : nullptr)};
    return BPFLINK_OK;
  });
}

void bpflink_verdict_free(bpflink_verdict* verdict) {
  delete verdict;
}

size_t bpflink_verdict_fault_count(const bpflink_verdict* verdict) {
  return verdict ? verdict->verdict.faults.size() : 0;
}

uint32_t bpflink_verdict_accepts(const bpflink_verdict* verdict, uint32_t major, uint32_t minor) {
  if (!verdict || major > UINT16_MAX || minor > UINT16_MAX) return 0;
  return is_accepted(verdict->verdict,
                     {static_cast<uint16_t>(major), static_cast<uint16_t>(minor)});
}

uint64_t bpflink_verdict_omitted(const bpflink_verdict* verdict) {
  return verdict ? verdict->verdict.omitted : 0;
}

bpflink_status bpflink_verdict_fault(const bpflink_verdict* verdict, size_t index,
                                     bpflink_fault* out, size_t size) {
  if (index >= bpflink_verdict_fault_count(verdict)) return BPFLINK_ERROR_ARGUMENT;
  const BtfFault& fault = verdict->verdict.faults[index];
  const BtfRuleText& rule = btf_rule_text(fault.rule);
  const std::string& misfit = verdict->verdict.misfit;
  return describe({.rule = c_string(rule.key),
                   .text = c_string(rule.text),
                   .kernel = c_string(rule.kernel),
                   .advice = misfit.empty() ? c_string(rule.advice) : misfit.c_str(),
                   .type = fault.type.c_str(),
                   .subject = fault.subject.c_str(),
                   .type_id = fault.type_id,
                   .since_major = rule.since.major,
                   .since_minor = rule.since.minor,
                   .until_major = rule.until.major,
                   .until_minor = rule.until.minor},
                  out, size);
}

char* bpflink_verdict_fault_text(const bpflink_verdict* verdict, size_t index) {
  if (index >= bpflink_verdict_fault_count(verdict)) return nullptr;
  return give_text(
      [&] { return describe_fault(verdict->verdict.faults[index], verdict->verdict.misfit); });
}

bpflink_status bpflink_verdict_needs(const bpflink_verdict* verdict, bpflink_requirement* out,
                                     size_t size) {
  if (!verdict) return BPFLINK_ERROR_ARGUMENT;
  const BtfRequirement& needs = verdict->verdict.needs;
  return describe({.what = c_string(needs.what),
                   .major = needs.release.major,
                   .minor = needs.release.minor,
                   .type_id = needs.type_id},
                  out, size);
}

}  // extern "C"
