// Checks attach targets that the kernel's BTF has: functions, tracepoints by their typedef
// `btf_trace_NAME`, and LSM hooks and iterators by the functions that stand for them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/bpf.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bpflink/btf_query.hpp"
#include "linker/facts/denied_targets.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"

namespace bpflink {
namespace {

/// A type that must be in the kernel's BTF, or a module's.
struct AttachTarget {
  WantedName wanted;
  std::string_view module = {};  ///< the only module to search; "" for all
  bool attaches_later = false;   ///< it is looked up when the program attaches, not at the load
  bool is_program = false;       ///< it is a function of another program
  bool is_code = false;          ///< the program is attached to its code
  std::string_view thing = {};   ///< its kind, for messages
};

/// Whether programs attach to all functions that match a pattern: fentry.multi, fexit.multi and
/// fsession.multi.
bool names_pattern(uint32_t attach_type) {
  constexpr uint32_t first = 59, last = 61;  // not in the headers of every system
  return attach_type >= first && attach_type <= last;
}

/// The target of a program; nothing if it attaches to nothing that BTF lists.
std::optional<AttachTarget> attach_target_of(const Program& program) {
  const SectionMeaning& meaning = program.meaning;
  AttachTarget target{.wanted = {BtfKind::Func, "", meaning.target}};
  bool names_tracepoint = meaning.type == ProgramType::RawTracepoint ||
                          meaning.type == ProgramType::RawTracepointWritable;
  if (names_tracepoint && !meaning.target.empty()) {
    target.attaches_later = true;
  } else if (meaning.type == ProgramType::Ext) {
    target.is_program = true;
    return target;
  } else if ((meaning.type != ProgramType::Tracing && meaning.type != ProgramType::Lsm) ||
             names_pattern(meaning.attach_type)) {
    return std::nullopt;
  }
  if (names_tracepoint || meaning.attach_type == BPF_TRACE_RAW_TP) {
    target.wanted.kind = BtfKind::Typedef;
    target.wanted.prefix = "btf_trace_";
    target.thing = "tracepoint";
  } else if (meaning.type == ProgramType::Lsm) {
    target.wanted.prefix = "bpf_lsm_";
    target.thing = "LSM hook";
  } else if (meaning.attach_type == BPF_TRACE_ITER) {
    target.wanted.prefix = "bpf_iter_";
    target.thing = "iterator";
  } else {
    target.thing = "function";
    target.is_code = true;
  }
  std::string_view& name = target.wanted.name;
  if (size_t colon = name.find(':'); colon != name.npos && !names_tracepoint) {
    target.module = name.substr(0, colon);
    name.remove_prefix(colon + 1);
  }
  return target;
}

/// Compares like libbpf: the program may give only the beginning of a module's name.
bool is_in_module(const AttachTarget& target, const KernelType& type) {
  return target.module.empty() || type.owner.starts_with(target.module);
}

/// Names what the compiler made of a function.
void show_parts(const KernelSymbols& symbols, std::string_view name, CoreFinding& finding) {
  auto parts = symbols.parts_of(name);
  if (finding.complaint && !parts.empty())
    finding.complaint->there = fmt::format("{}", fmt::join(parts, ", "));
}

/// Whether a program that sleeps, or changes the result, may be attached to the function. Kernels
/// let it where they inject errors, as in system calls; later in these always. BTF has no list of
/// others.
void check_injection(const Kernel& kernel, const SectionMeaning& meaning, std::string_view function,
                     CoreFinding& finding) {
  bool changes = meaning.attach_type == BPF_MODIFY_RETURN;
  if (!changes && !meaning.sleepable) return;
  if (changes && !meaning.sleepable && function.starts_with("security_")) return;
  std::string_view programs = changes ? "programs that change results" : "programs that sleep";
  bool is_call = function.starts_with("__x64_sys_") || function.starts_with("__arm64_sys_");
  auto option = kernel.option("CONFIG_FUNCTION_ERROR_INJECTION");
  Knowledge takes_calls = kernel.has(KernelFeature::SystemCallTargets);
  if (is_call && (option.is_known() || takes_calls == Knowledge::Known)) return;
  if (is_call && option.knowledge == Knowledge::Absent && takes_calls == Knowledge::Absent)
    return finding.fail(fmt::format("function {} takes no {}", function, programs),
                        "CONFIG_FUNCTION_ERROR_INJECTION is not set");
  bool needs_config = is_call && option.knowledge == Knowledge::Unknown;
  finding.leave_unknown(fmt::format("whether {} attach to function {}", programs, function),
                        needs_config ? "give its --config" : load_advice);
}

/// Of a function or LSM hook that the kernel has.
void check_denied(const Kernel& kernel, const SectionMeaning& meaning, const AttachTarget& target,
                  CoreFinding& finding) {
  std::string_view name = target.wanted.name;
  auto leave_unknown = [&](std::string_view programs, std::string_view advice) {
    finding.leave_unknown(fmt::format("whether {} attach to {} {}", programs, target.thing, name),
                          advice);
  };
  if (auto denied = find_denied(meaning, name)) {
    Knowledge denies = kernel.has(denied->denied);
    if (denies == Knowledge::Known)
      return finding.fail(fmt::format("{} {} {}", target.thing, name, denied->reason));
    if (denies == Knowledge::Unknown)
      return leave_unknown("programs", kernel.has_release(denied->denied.since) == denies
                                           ? release_advice
                                           : load_advice);
  }
  if (target.is_code) return check_injection(kernel, meaning, name, finding);
  if (meaning.type != ProgramType::Lsm || !meaning.sleepable) return;
  const std::optional<Introduction> since = sleepable_since(name);
  const Knowledge may_sleep = since ? kernel.has(*since) : Knowledge::Unknown;
  if (may_sleep == Knowledge::Absent)
    finding.fail(fmt::format("programs may not sleep in LSM hook {}", name),
                 "attach to it with lsm/ in place of lsm.s/");
  else if (may_sleep == Knowledge::Unknown)
    leave_unknown("programs that sleep", kernel.version_code ? load_advice : release_advice);
}

/// Whether a register holds the type: a number, or a pointer.
bool is_in_register(BtfKind kind) {
  return kind == BtfKind::Int || kind == BtfKind::Ptr || is_enum(kind);
}

std::string by_value(BtfKind kind) {
  std::string_view name = kind == BtfKind::Struct  ? "struct"
                          : kind == BtfKind::Union ? "union"
                                                   : btf_kind_name(kind);
  return fmt::format("a {} by value", name);
}

/// Why the kernel cannot save the parameter for a program, or "".
std::string find_parameter_fault(const Kernel& kernel, const BtfView& types, uint32_t type_id) {
  constexpr uint64_t most_bytes = 16;
  if (type_id == 0) return "takes a variable number of arguments";
  uint32_t id = skip_modifiers(types, type_id);
  BtfKind kind = types.kind(id);
  if (is_in_register(kind)) return "";
  bool fits = is_composite(kind) && type_size(types, id).value_or(0) <= most_bytes &&
              kernel.has(KernelFeature::StructArguments) != Knowledge::Absent;
  return fits ? "" : "takes " + by_value(kind);
}

/// Why no program can be attached to the code of a function of that prototype, or "".
std::string find_prototype_fault(const Kernel& kernel, const BtfView& types, BtfType prototype) {
  constexpr uint32_t most_parameters = 12;
  if (prototype.vlen() > most_parameters)
    return fmt::format("has {} parameters: programs attach to functions of up to {}",
                       prototype.vlen(), most_parameters);
  if (uint32_t result = skip_modifiers(types, prototype.type());
      result != 0 && !is_in_register(types.kind(result)))
    return "returns " + by_value(types.kind(result));
  for (uint32_t i = 0; i < prototype.vlen(); ++i)
    if (auto fault = find_parameter_fault(kernel, types, prototype.param(i).type); !fault.empty())
      return fault;
  return "";
}

/// Whether the function stands for an iterator, which has a context of its own.
bool may_be_iterator(const Kernel& kernel, std::string_view name) {
  auto context = kernel.find(BtfKind::Struct, fmt::format("bpf_iter__{}", name));
  return context.knowledge != Knowledge::Absent;
}

using HookNames = std::optional<std::unordered_set<std::string_view>>;

/// The LSM hooks that the kernel calls; nothing if its BTF does not show them.
HookNames hooks_of(const Kernel& kernel) {
  auto list = kernel.find(BtfKind::Union, "security_list_options");
  if (!list.is_known()) return std::nullopt;
  HookNames hooks{std::in_place};
  BtfType type = list.value.type();
  for (uint32_t i = 0; i < type.vlen(); ++i)
    hooks->insert(list.value.types->string(type.member(i).name_off));
  return hooks;
}

/// Why the function is not a target for the program, or "".
std::string find_function_fault(const Kernel& kernel, const HookNames& hooks,
                                const SectionMeaning& meaning, const AttachTarget& target,
                                const KernelType& function) {
  const BtfView& types = *function.types;
  if (target.wanted.kind != BtfKind::Func ||
      types.kind(function.type().type()) != BtfKind::FuncProto)
    return "";
  if (meaning.type == ProgramType::Lsm && hooks && !hooks->contains(target.wanted.name))
    return "is not one that the kernel calls";
  if (meaning.attach_type == BPF_TRACE_ITER && !may_be_iterator(kernel, target.wanted.name))
    return "is another function of the kernel";
  return find_prototype_fault(kernel, types, types.type(function.type().type()));
}

void check_target(NeedsCheck& needs, const HookNames& hooks, const SectionMeaning& meaning,
                  const AttachTarget& target, CoreFinding& finding) {
  const WantedName& wanted = target.wanted;
  if (target.is_program || wanted.name.empty())
    return finding.leave_unknown(fmt::format("the target of {}", finding.symbol),
                                 loader_sets_it_advice);
  const KernelSymbols* symbols = target.is_code ? needs.kernel.symbols() : nullptr;
  for (const KernelType& type : needs.kernel.find_all(wanted.kind, wanted.full())) {
    if (!is_in_module(target, type)) continue;
    if (symbols && type.module == 0 && !symbols->has(wanted.name)) {
      finding.fail(fmt::format("function {} has no code of its own", wanted.name),
                   "the compiler inlined or split it: attach to a function that calls it");
      show_parts(*symbols, wanted.name, finding);
    } else if (auto fault = find_function_fault(needs.kernel, hooks, meaning, target, type);
               !fault.empty()) {
      finding.fail(fmt::format("{} {} {}", target.thing, wanted.name, fault));
    } else {
      check_denied(needs.kernel, meaning, target, finding);
    }
    return;
  }
  needs.report_missing(
      finding,
      fmt::format("{} {}{}", target.thing, wanted.name,
                  target.module.empty() ? "" : fmt::format(" in {}", target.module)),
      wanted);
  if (symbols) show_parts(*symbols, wanted.name, finding);
  if (target.attaches_later) finding.fail_to_attach();
}

}  // namespace

void NeedsCheck::check_attach_targets() {
  HookNames hooks = hooks_of(kernel);
  for (const Program& program : object.programs())
    if (auto target = attach_target_of(program))
      check_target(*this, hooks, program.meaning, *target,
                   add(CoreNeed::AttachTarget, std::string(program.meaning.target), program.name));
}

}  // namespace bpflink
