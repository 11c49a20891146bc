// Checks the configuration options that a program declares as extern in .kconfig. The loader fills
// these variables in, and accepts a value only for a variable of a suitable type.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <expected>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/edit_distance.hpp"
#include "linker/error.hpp"
#include "linker/facts/section_roles.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"
#include "linker/types/kconfig_type.hpp"

namespace bpflink {
namespace {

/// What libbpf writes into a variable, or why it rejects the value.
using Written = std::expected<Answer<uint64_t>, std::string>;

/// Whether a 64-bit number, in two's complement if negative, fits into the variable.
bool fits(const KconfigType& type, uint64_t number) {
  if (type.kind == KconfigType::Kind::Bool) return number <= 1;
  if (type.size == 8) return true;
  uint32_t bits = type.size * 8;
  if (type.is_signed) number += uint64_t{1} << (bits - 1);
  return number >> bits == 0;
}

Written write_number(const KconfigType& type, uint64_t number) {
  using enum KconfigType::Kind;
  if (type.kind == Tristate || type.kind == Text)
    return std::unexpected("is a number, but the variable is not an integer");
  if (!fits(type, number))
    return std::unexpected(
        fmt::format("does not fit into a variable of {}", count_of(type.size, "byte")));
  return known(number);
}

Written write_tristate(const KconfigType& type, const ConfigValue& value) {
  constexpr std::string_view states = "nym";  // in the order of libbpf's enum libbpf_tristate
  switch (type.kind) {
    case KconfigType::Kind::Bool:
      if (value.tristate == 'm')
        return std::unexpected(
            "is m, which a bool cannot hold: declare it as enum libbpf_tristate");
      return known(uint64_t{value.tristate == 'y'});
    case KconfigType::Kind::Char:
      return known(static_cast<uint64_t>(value.tristate));
    case KconfigType::Kind::Tristate:
      return known(uint64_t{states.find(value.tristate)});
    case KconfigType::Kind::Integer:
    case KconfigType::Kind::Text:
      break;
  }
  return std::unexpected(fmt::format(
      "is {}, but the variable is not a bool, char or enum libbpf_tristate", value.text));
}

Written write_option(const KconfigType& type, const ConfigValue& value) {
  using enum KconfigType::Kind;
  switch (value.kind) {
    case ConfigValue::Kind::Tristate:
      return write_tristate(type, value);
    case ConfigValue::Kind::Text:
      if (type.kind != Text)
        return std::unexpected("is a string, but the variable is not an array of char");
      return {};
    case ConfigValue::Kind::Number:
      if (type.kind == Bool) return std::unexpected("is a number, but the variable is a bool");
      return write_number(type, value.number);
  }
  return {};
}

std::string similar_option(NeedsCheck& needs, std::string_view name) {
  if (--needs.searches_left < 0) return "";
  // The prefix does not make names alike: all have it.
  constexpr std::string_view prefix = "CONFIG_";
  NearestName nearest(name.substr(prefix.size()));
  needs.kernel.config->for_each_option([&](std::string_view option) {
    if (option.starts_with(prefix)) nearest.consider(option.substr(prefix.size()));
  });
  return nearest.nearest().empty() ? ""
                                   : fmt::format("did you mean {}{}?", prefix, nearest.nearest());
}

/// Fails for a reason that is the rest of a sentence about the variable, whose value is not known.
Answer<uint64_t> refuse(CoreFinding& finding, std::string_view reason, std::string advice = {}) {
  finding.fail(fmt::format("{} {}", finding.name, reason), std::move(advice));
  return {};
}

/// The variable stays 0.
Answer<uint64_t> leave_zero(CoreFinding& finding, std::string_view reason) {
  finding.becomes_zero = true;
  finding.complain(fmt::format("{} {}", finding.name, reason));
  return {Knowledge::Absent};
}

Answer<uint64_t> settle(const Written& written, CoreFinding& finding) {
  return written ? *written : refuse(finding, written.error());
}

Answer<uint64_t> check_option(NeedsCheck& needs, const Extern& entry, const KconfigType& type,
                              CoreFinding& finding) {
  auto option = needs.kernel.option(entry.name);
  switch (option.knowledge) {
    case Knowledge::Known:
      return settle(write_option(type, option.value), finding);
    case Knowledge::Absent:
      if (entry.is_weak) return leave_zero(finding, "is not set");
      refuse(finding, "is not set", similar_option(needs, entry.name));
      return {Knowledge::Absent};
    case Knowledge::Unknown:
      break;
  }
  finding.leave_unknown(finding.name, "give its --config");
  return {};
}

/// Checks a variable that libbpf fills in itself.
Answer<uint64_t> check_virtual(const Kernel& kernel, const Extern& entry, const KconfigType& type,
                               CoreFinding& finding) {
  if (entry.name == "LINUX_KERNEL_VERSION") {
    if (kernel.hides_version)
      return refuse(finding,
                    fmt::format("has no value: libbpf needs three numbers of the release {}",
                                kernel.identity.release));
    if (kernel.version_code) return settle(write_number(type, *kernel.version_code), finding);
    finding.leave_unknown(finding.name, release_advice);
    return {};
  }
  if (entry.name == "LINUX_HAS_BPF_COOKIE") {
    Knowledge has_helper = kernel.has_enumerator("bpf_func_id", BPF_FUNC_get_attach_cookie);
    auto written = write_number(type, has_helper == Knowledge::Known);
    auto value = settle(written, finding);
    return has_helper == Knowledge::Unknown ? Answer<uint64_t>{} : value;
  }
  if (entry.name == "LINUX_HAS_SYSCALL_WRAPPER") {
    settle(write_number(type, 1), finding);
    return {};  // it is 0 or 1
  }
  if (!is_kconfig_name(entry.name, entry.is_weak))
    return refuse(finding, "is neither an option of the kernel nor one that libbpf knows");
  auto written = write_number(type, 0);
  return written ? leave_zero(finding, "is unknown to libbpf") : settle(written, finding);
}

}  // namespace

void NeedsCheck::check_kconfig() {
  for (const Extern& entry : object.externs()) {
    if (role_of(entry.section) != SectionRole::Kconfig || entry.btf_id == 0) continue;
    CoreFinding& finding = add(CoreNeed::ConfigOption, std::string(entry.name), entry.name);
    Answer<uint64_t> value;
    auto type = kconfig_type(*object.btf(), entry.type_id);
    if (!type)
      value = refuse(finding, "has a type that libbpf does not fill in");
    else if (entry.name.starts_with("CONFIG_"))
      value = check_option(*this, entry, *type, finding);
    else
      value = check_virtual(kernel, entry, *type, finding);
    externs.try_emplace(entry.name, value);
  }
}

}  // namespace bpflink
