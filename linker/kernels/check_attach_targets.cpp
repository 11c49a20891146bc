// Checks attach targets that the kernel's BTF has: functions, tracepoints by their typedef
// `btf_trace_NAME`, and LSM hooks and iterators by the functions that stand for them.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <optional>
#include <utility>

#include "linker/kernels/kernel_fact_checks.hpp"

namespace bpflink {
namespace {

using Status = KernelFinding::Status;
using Stage = KernelFinding::Stage;

/// A type that must be in the kernel's BTF, or a module's.
struct Target {
  BtfKind kind = BtfKind::Func;
  std::string_view prefix = {};  ///< before the name that the program gives
  std::string_view name = {};
  std::string_view module = {};  ///< the only module to search; "" for all
  Stage stage = Stage::Load;
  std::string_view thing = {};  ///< its kind, for messages

  std::string full_name() const { return std::string(prefix) + std::string(name); }
};

/// The target of a program; nothing if it attaches to nothing that BTF lists.
std::optional<Target> attach_target_of(const Program& program) {
  const SectionMeaning& meaning = program.meaning;
  if (!meaning.autoload) return std::nullopt;
  Target target{.name = meaning.target};
  bool names_tracepoint = meaning.type == ProgramType::RawTracepoint ||
                          meaning.type == ProgramType::RawTracepointWritable;
  if (names_tracepoint && !meaning.target.empty()) {
    target.stage = Stage::Attach;
  } else if (meaning.type != ProgramType::Tracing && meaning.type != ProgramType::Lsm) {
    return std::nullopt;
  }
  if (names_tracepoint || meaning.attach_type == BPF_TRACE_RAW_TP) {
    target.kind = BtfKind::Typedef;
    target.prefix = "btf_trace_";
    target.thing = "tracepoint";
  } else if (meaning.type == ProgramType::Lsm) {
    target.prefix = "bpf_lsm_";
    target.thing = "LSM hook";
  } else if (meaning.attach_type == BPF_TRACE_ITER) {
    target.prefix = "bpf_iter_";
    target.thing = "iterator";
  } else {
    target.thing = "function";
  }
  if (size_t colon = target.name.find(':'); colon != target.name.npos && !names_tracepoint) {
    target.module = target.name.substr(0, colon);
    target.name.remove_prefix(colon + 1);
  }
  return target;
}

/// Compares like libbpf: the program may give only the beginning of a module's name.
bool is_in_module(const Target& target, const KernelType& type) {
  return target.module.empty() || type.owner().starts_with(target.module);
}

void check_target(const FactContext& context, const Target& target, KernelFinding& finding) {
  if (target.name.empty()) {
    finding.status = Status::Unknown;
    finding.reason = "the section's name has no target: the loading program sets one";
    return;
  }
  for (const KernelType& type : context.names.find_all(target.kind, target.full_name()))
    if (is_in_module(target, type)) return;
  finding.status = Status::Fails;
  finding.reason = fmt::format("there is no {} {}{}", target.thing, target.name,
                               target.module.empty() ? "" : fmt::format(" in {}", target.module));
  finding.note = note_on_missing(context, target.kind, target.prefix, target.name);
}

}  // namespace

void want_attach_targets(const Object& object, WantedNames& wanted) {
  for (const Program& program : object.programs())
    if (auto target = attach_target_of(program); target && !target->name.empty())
      wanted.add(target->kind, target->full_name());
}

void check_attach_targets(const FactContext& context) {
  for (const Program& program : context.object.programs()) {
    auto target = attach_target_of(program);
    if (!target) continue;
    KernelFinding finding{.what = KernelFinding::What::AttachTarget,
                          .name = std::string(program.meaning.target),
                          .user = std::string(program.name),
                          .stage = target->stage};
    check_target(context, *target, finding);
    context.findings.push_back(std::move(finding));
  }
}

}  // namespace bpflink
