// Checks attach targets that the kernel's BTF has: functions, tracepoints by their typedef
// `btf_trace_NAME`, and LSM hooks and iterators by the functions that stand for them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/bpf.h>

#include <optional>
#include <utility>

#include "linker/kernels/denied_targets.hpp"
#include "linker/kernels/kernel_needs.hpp"

namespace bpflink {
namespace {

/// A type that must be in the kernel's BTF, or a module's.
struct Target {
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
std::optional<Target> attach_target_of(const Program& program) {
  const SectionMeaning& meaning = program.meaning;
  Target target{.wanted = {BtfKind::Func, "", meaning.target}};
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
bool is_in_module(const Target& target, const KernelType& type) {
  return target.module.empty() || type.owner.starts_with(target.module);
}

/// Names what the compiler made of a function.
void show_parts(const KernelSymbols& symbols, std::string_view name, CoreFinding& finding) {
  auto parts = symbols.parts_of(name);
  if (finding.complaint && !parts.empty())
    finding.complaint->there = fmt::format("{}", fmt::join(parts, ", "));
}

/// Of a function or LSM hook that the kernel has.
void check_denied(const Kernel& kernel, const SectionMeaning& meaning, const Target& target,
                  CoreFinding& finding) {
  auto denied = find_denied(meaning, target.wanted.name);
  Knowledge denies = denied ? kernel.has_release(denied->since) : Knowledge::Absent;
  if (denies == Knowledge::Unknown)
    finding.leave_unknown(
        fmt::format("whether programs attach to {} {}", target.thing, target.wanted.name),
        release_advice);
  else if (denies == Knowledge::Known)
    finding.fail(fmt::format("{} {} {}", target.thing, target.wanted.name, denied->reason));
}

void check_target(KernelNeeds& needs, const SectionMeaning& meaning, const Target& target,
                  CoreFinding& finding) {
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

void KernelNeeds::check_attach_targets() {
  for (const Program& program : object.programs())
    if (auto target = attach_target_of(program))
      check_target(*this, program.meaning, *target,
                   add(CoreNeed::AttachTarget, std::string(program.meaning.target), program.name));
}

}  // namespace bpflink
