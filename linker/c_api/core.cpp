// The C interface's check of CO-RE relocations.
#include "bpflink/core.hpp"

#include <vector>

#include "linker/c_api/support.hpp"

using namespace bpflink;
using namespace bpflink::c_api;

struct bpflink_core_kernel {
  CoreKernel kernel;
};

struct bpflink_core_report {
  std::vector<CoreVerdict> verdicts;
};

namespace {

CoreFacts facts_from_c(const bpflink_core_facts& facts) {
  CoreFacts result{.version = facts.version, .strict = facts.strict == 1};
  if (facts.kconfig)
    result.kconfig = [=](std::string_view name) -> std::optional<uint64_t> {
      uint64_t value = 0;
      if (!facts.kconfig(facts.context, std::string(name).c_str(), &value)) return std::nullopt;
      return value;
    };
  if (facts.has_ksym)
    result.has_ksym = [=](std::string_view name) -> std::optional<bool> {
      int answer = facts.has_ksym(facts.context, std::string(name).c_str());
      if (answer < 0) return std::nullopt;
      return answer != 0;
    };
  for (size_t i = 0; i < facts.setting_count; ++i)
    result.settings[facts.settings[i]] = facts.setting_values[i];
  return result;
}

std::expected<void, Error> check_facts(const bpflink_core_facts& facts) {
  if (auto ok = check_bool("strict", facts.strict); !ok) return ok;
  if (auto ok = check_list("settings", facts.settings, facts.setting_count); !ok) return ok;
  if (!facts.setting_values && facts.setting_count != 0) return fail("setting_values is null");
  return {};
}

const CoreVerdict* verdict_at(const bpflink_core_report* report, size_t index) {
  return report && index < report->verdicts.size() ? &report->verdicts[index] : nullptr;
}

}  // namespace

extern "C" {

bpflink_status bpflink_core_kernel_new(const bpflink_btf* vmlinux,
                                       const bpflink_btf* const* modules, size_t module_count,
                                       bpflink_core_kernel** kernel) {
  if (!kernel) return BPFLINK_ERROR_ARGUMENT;
  *kernel = nullptr;
  if (!vmlinux || (!modules && module_count != 0)) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    std::vector<BtfView> views;
    views.reserve(module_count);
    for (const bpflink_btf* module : std::span(modules, module_count)) {
      if (!module || module->view->base() != vmlinux->view) return BPFLINK_ERROR_ARGUMENT;
      views.emplace_back(*module->view);
    }
    *kernel = new bpflink_core_kernel{CoreKernel(*vmlinux->view, views)};
    return BPFLINK_OK;
  });
}

void bpflink_core_kernel_free(bpflink_core_kernel* kernel) {
  delete kernel;
}

bpflink_status bpflink_core_check(const void* object, size_t size,
                                  const bpflink_core_kernel* kernel,
                                  const bpflink_core_facts* facts, bpflink_core_report** report,
                                  char** error) {
  if (error) *error = nullptr;
  if (!report) return BPFLINK_ERROR_ARGUMENT;
  *report = nullptr;
  if (!object || !kernel) return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    auto known = read_options(facts, bpflink_core_facts BPFLINK_CORE_FACTS_INIT);
    if (!known) return give_reason(known.error(), error, BPFLINK_ERROR_ARGUMENT);
    if (auto ok = check_facts(*known); !ok)
      return give_reason(ok.error(), error, BPFLINK_ERROR_ARGUMENT);
    auto verdicts = check_core({static_cast<const std::byte*>(object), size}, kernel->kernel,
                               facts_from_c(*known));
    if (!verdicts) return give_reason(verdicts.error(), error);
    *report = new bpflink_core_report{std::move(*verdicts)};
    return BPFLINK_OK;
  });
}

void bpflink_core_report_free(bpflink_core_report* report) {
  delete report;
}

size_t bpflink_core_report_verdict_count(const bpflink_core_report* report) {
  return report ? report->verdicts.size() : 0;
}

bpflink_status bpflink_core_report_verdict(const bpflink_core_report* report, size_t index,
                                           bpflink_core_verdict* out, size_t size) {
  const CoreVerdict* verdict = verdict_at(report, index);
  if (!verdict) return BPFLINK_ERROR_ARGUMENT;
  return describe({.section = verdict->section.c_str(),
                   .kind = c_string(core_kind_name(verdict->kind)),
                   .access = verdict->access.c_str(),
                   .message = verdict->message.c_str(),
                   .offset = verdict->offset,
                   .value = verdict->value,
                   .index = verdict->index,
                   .status = static_cast<uint32_t>(verdict->status),
                   .has_value = verdict->outcome == CoreOutcome::Value,
                   .program_count = static_cast<uint32_t>(verdict->programs.size()),
                   .assumption_count = static_cast<uint32_t>(verdict->assumes.size())},
                  out, size);
}

bpflink_status bpflink_core_report_program(const bpflink_core_report* report, size_t index,
                                           size_t program, const char** name) {
  const CoreVerdict* verdict = verdict_at(report, index);
  if (!verdict || program >= verdict->programs.size() || !name) return BPFLINK_ERROR_ARGUMENT;
  *name = verdict->programs[program].c_str();
  return BPFLINK_OK;
}

bpflink_status bpflink_core_report_assumption(const bpflink_core_report* report, size_t index,
                                              size_t assumption, const char** variable,
                                              uint64_t* value) {
  const CoreVerdict* verdict = verdict_at(report, index);
  if (!verdict || assumption >= verdict->assumes.size() || !variable || !value)
    return BPFLINK_ERROR_ARGUMENT;
  *variable = verdict->assumes[assumption].variable.c_str();
  *value = verdict->assumes[assumption].value;
  return BPFLINK_OK;
}

bpflink_status bpflink_core_minimize(const void* const* objects, const size_t* sizes, size_t count,
                                     const bpflink_core_kernel* kernel, uint32_t byte_order,
                                     void** blob, size_t* size, char** error) {
  if (error) *error = nullptr;
  if (!blob || !size) return BPFLINK_ERROR_ARGUMENT;
  *blob = nullptr;
  *size = 0;
  if ((count != 0 && (!objects || !sizes)) || !kernel || byte_order > 1)
    return BPFLINK_ERROR_ARGUMENT;
  return guarded([&] {
    std::vector<std::span<const std::byte>> images;
    images.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (!objects[i]) return BPFLINK_ERROR_ARGUMENT;
      images.emplace_back(static_cast<const std::byte*>(objects[i]), sizes[i]);
    }
    auto bytes = minimize_core(images, kernel->kernel, order_of(byte_order));
    if (!bytes) return give_reason(bytes.error(), error);
    return give_bytes(*bytes, blob, size);
  });
}

}  // extern "C"
