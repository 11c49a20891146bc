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
    auto known = use == BPFLINK_BTF_OF_KERNEL ? BtfUse::Kernel : BtfUse::Program;
    *verdict = new bpflink_verdict{check_btf(bytes, known, base ? base->view : nullptr)};
    return BPFLINK_OK;
  });
}

void bpflink_verdict_free(bpflink_verdict* verdict) {
  delete verdict;
}

size_t bpflink_verdict_fault_count(const bpflink_verdict* verdict) {
  return verdict ? verdict->verdict.faults.size() : 0;
}

bpflink_status bpflink_verdict_fault(const bpflink_verdict* verdict, size_t index,
                                     bpflink_fault* out, size_t size) {
  if (index >= bpflink_verdict_fault_count(verdict)) return BPFLINK_ERROR_ARGUMENT;
  const BtfFault& fault = verdict->verdict.faults[index];
  const BtfRuleText& rule = btf_rule_text(fault.rule);
  bpflink_fault description = {};
  description.rule = c_string(rule.key);
  description.text = c_string(rule.text);
  description.kernel = c_string(rule.kernel);
  description.advice = c_string(rule.advice);
  description.type = fault.type.c_str();
  description.subject = fault.subject.c_str();
  description.type_id = fault.type_id;
  description.since_major = rule.since.major;
  description.since_minor = rule.since.minor;
  return describe(description, out, size);
}

bpflink_status bpflink_verdict_needs(const bpflink_verdict* verdict, bpflink_requirement* out,
                                     size_t size) {
  if (!verdict) return BPFLINK_ERROR_ARGUMENT;
  const BtfRequirement& needs = verdict->verdict.needs;
  bpflink_requirement description = {};
  description.what = c_string(needs.what);
  description.major = needs.release.major;
  description.minor = needs.release.minor;
  description.type_id = needs.type_id;
  return describe(description, out, size);
}

}  // extern "C"
