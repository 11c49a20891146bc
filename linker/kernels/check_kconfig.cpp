// Checks the configuration options that a program declares as extern in .kconfig. The loader fills
// these variables in, and accepts a value only for a variable of a suitable type.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "dedup/edit_distance.hpp"
#include "linker/elf/section_roles.hpp"
#include "linker/error.hpp"
#include "linker/kernels/kernel_fact_checks.hpp"

namespace bpflink {
namespace {

using Status = KernelFinding::Status;

/// The kind of values that a variable accepts.
struct OptionType {
  enum class Kind : uint8_t { Bool, Char, Integer, Tristate, Text };
  Kind kind = Kind::Integer;
  uint32_t size = 0;  ///< bytes of a number
  bool is_signed = false;
};

std::optional<OptionType> integer_type(BtfType type) {
  uint32_t size = type.size();
  if ((type.int_encoding() & btf_int_bool) != 0)
    return size == 1 ? std::optional(OptionType{OptionType::Kind::Bool, 1}) : std::nullopt;
  bool is_signed = (type.int_encoding() & btf_int_signed) != 0;
  if (size == 1) return OptionType{OptionType::Kind::Char, size, is_signed};
  if (size != 2 && size != 4 && size != 8) return std::nullopt;
  return OptionType{OptionType::Kind::Integer, size, is_signed};
}

/// The kind of values for a type; nothing if libbpf does not fill in such variables.
std::optional<OptionType> option_type(const BtfView& types, uint32_t id) {
  id = skip_modifiers(types, id);
  if (id == 0) return std::nullopt;
  BtfType type = types.type(id);
  if (type.kind() == BtfKind::Int) return integer_type(type);
  if (is_enum(type.kind())) {
    if (types.name(type) != "libbpf_tristate") return std::nullopt;
    if (type.kind() == BtfKind::Enum && type.size() != 4) return std::nullopt;
    return OptionType{OptionType::Kind::Tristate, type.size()};
  }
  if (type.kind() != BtfKind::Array) return std::nullopt;
  uint32_t element = skip_modifiers(types, type.array_element_type());
  if (type.array_length() == 0 || types.kind(element) != BtfKind::Int) return std::nullopt;
  auto of_element = integer_type(types.type(element));
  if (!of_element || of_element->kind != OptionType::Kind::Char) return std::nullopt;
  return OptionType{OptionType::Kind::Text, type.array_length()};
}

/// Whether a 64-bit number, in two's complement if negative, fits into the variable.
bool fits(const OptionType& type, uint64_t number) {
  if (type.kind == OptionType::Kind::Bool) return number <= 1;
  if (type.size == 8) return true;
  uint32_t bits = type.size * 8;
  if (type.is_signed) number += uint64_t{1} << (bits - 1);
  return number >> bits == 0;
}

/// Why libbpf rejects a number, or "".
std::string number_fault(const OptionType& type, uint64_t number) {
  using enum OptionType::Kind;
  if (type.kind == Tristate || type.kind == Text)
    return "is a number, but the variable is not an integer";
  return fits(type, number)
             ? ""
             : fmt::format("does not fit into a variable of {}", count_of(type.size, "byte"));
}

/// Why libbpf rejects an option's value, or "".
std::string value_fault(const OptionType& type, const ConfigValue& value) {
  using enum OptionType::Kind;
  switch (value.kind) {
    case ConfigValue::Kind::Tristate:
      if (type.kind == Bool && value.tristate == 'm')
        return "is m, which a bool cannot hold: declare it as enum libbpf_tristate";
      if (type.kind == Integer || type.kind == Text)
        return fmt::format("is {}, but the variable is not a bool, char or enum libbpf_tristate",
                           value.text);
      return "";
    case ConfigValue::Kind::Text:
      return type.kind == Text ? "" : "is a string, but the variable is not an array of char";
    case ConfigValue::Kind::Number:
      if (type.kind == Bool) return "is a number, but the variable is a bool";
      return number_fault(type, value.number);
  }
  return "";
}

std::string similar_option(const FactContext& context, std::string_view name) {
  if (--context.searches_left < 0) return "";
  // The prefix is no sign of likeness: all have it.
  constexpr std::string_view prefix = "CONFIG_";
  if (!name.starts_with(prefix)) return "";
  NearestName nearest(name.substr(prefix.size()));
  context.kernel.config->for_each_option([&](std::string_view option) {
    if (option.starts_with(prefix)) nearest.consider(option.substr(prefix.size()));
  });
  return nearest.nearest().empty() ? ""
                                   : fmt::format("did you mean {}{}?", prefix, nearest.nearest());
}

void fail_with(KernelFinding& finding, std::string reason) {
  finding.status = Status::Fails;
  finding.reason = std::move(reason);
}

void check_option(const FactContext& context, const Extern& entry, const OptionType& type,
                  KernelFinding& finding) {
  const Kernel& kernel = context.kernel;
  if (!kernel.config) {
    finding.status = Status::Unknown;
    finding.reason = "is unknown: the kernel's configuration was not found";
    if (entry.is_weak) finding.note = "it is weak: if it is not set, it becomes 0";
    return;
  }
  auto value = kernel.config->find(entry.name);
  if (value) {
    std::string fault = value_fault(type, *value);
    if (!fault.empty())
      fail_with(finding, std::move(fault));
    else
      finding.note = fmt::format("is {}", value->text);
    return;
  }
  finding.status = entry.is_weak ? Status::BecomesZero : Status::Fails;
  finding.reason = "is not set";
  if (!entry.is_weak) finding.note = similar_option(context, entry.name);
}

/// Checks a variable that libbpf fills in itself.
void check_virtual(const Kernel& kernel, const Extern& entry, const OptionType& type,
                   KernelFinding& finding) {
  uint64_t value = 1;  // LINUX_HAS_* are 0 or 1
  if (entry.name == "LINUX_KERNEL_VERSION") {
    if (!kernel.version_code) {
      finding.status = Status::Unknown;
      finding.reason = "is unknown: so is the kernel's release";
      return;
    }
    value = *kernel.version_code;
    finding.note = fmt::format("is {}.{}.{}", value >> 16, value >> 8 & 0xff, value & 0xff);
  } else if (entry.name != "LINUX_HAS_BPF_COOKIE" && entry.name != "LINUX_HAS_SYSCALL_WRAPPER") {
    if (!entry.is_weak || !entry.name.starts_with("LINUX_"))
      return fail_with(finding, "is neither an option of the kernel nor one that libbpf knows");
    finding.status = Status::BecomesZero;
    finding.reason = "is unknown to libbpf";
    value = 0;
  }
  if (std::string fault = number_fault(type, value); !fault.empty())
    fail_with(finding, std::move(fault));
}

}  // namespace

void check_kconfig(const FactContext& context) {
  for (const Extern& entry : context.object.externs()) {
    if (role_of(entry.section) != SectionRole::Kconfig || entry.btf_id == 0) continue;
    KernelFinding finding{.what = KernelFinding::What::ConfigOption,
                          .name = std::string(entry.name)};
    auto type = option_type(*context.object.btf(), entry.type_id);
    if (!type)
      fail_with(finding, "has a type that libbpf does not fill in");
    else if (entry.name.starts_with("CONFIG_"))
      check_option(context, entry, *type, finding);
    else
      check_virtual(context.kernel, entry, *type, finding);
    context.findings.push_back(std::move(finding));
  }
}

}  // namespace bpflink
