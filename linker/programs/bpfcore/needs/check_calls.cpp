// Checks which helpers and kfuncs programs may call, and which programs may sleep. That depends on
// the type of a program and on the kernel's release (call_tables.hpp).
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bpflink/btf_query.hpp"
#include "linker/facts/call_tables.hpp"
#include "linker/facts/helpers.hpp"
#include "linker/facts/license.hpp"
#include "linker/programs/bpfcore/needs/needs_check.hpp"

namespace bpflink {
namespace {

/// The helper that libbpf calls instead if a kernel lacks `helper`, if any.
std::optional<uint32_t> fallback_of(uint32_t helper) {
  switch (helper) {
    case BPF_FUNC_probe_read_user:
    case BPF_FUNC_probe_read_kernel:
      return BPF_FUNC_probe_read;
    case BPF_FUNC_probe_read_user_str:
    case BPF_FUNC_probe_read_kernel_str:
      return BPF_FUNC_probe_read_str;
    default:
      return std::nullopt;
  }
}

bool is_of_tracing(ProgramType type) {
  using enum ProgramType;
  constexpr ProgramType types[] = {Kprobe,    Tracepoint, RawTracepoint, RawTracepointWritable,
                                   PerfEvent, Tracing};
  return std::ranges::find(types, type) != std::end(types);
}

/// Whether a rule says "since the function exists".
bool is_since_introduction(char rule) {
  return rule >= 'a';
}

/// Whether a rule says "since that release; before, where programs may sleep".
bool is_for_sleepable_before(char rule) {
  return rule >= 'A' && rule <= 'Z';
}

/// The index of the release of a rule that has one and does not say "since the function exists".
size_t first_release(char rule) {
  return rule - (is_for_sleepable_before(rule) ? 'A' : '0');
}

/// Members of struct_ops whose programs may not call what the other members may.
constexpr std::string_view tcp_release = "release", tcp_struct = "tcp_congestion_ops";

char rule_of_helper(const ProgramCalls& calls, uint32_t id) {
  std::string_view rules = call_tables.helpers[calls.row];
  return id - 1 < rules.size() ? rules[id - 1] : '*';
}

/// Whether all programs may call a helper since it was first probed, and so since it exists.
bool is_for_all(uint32_t id) {
  return std::ranges::all_of(call_tables.programs, [&](const ProgramCalls& calls) {
    return !calls.struct_name.empty() || is_since_introduction(rule_of_helper(calls, id));
  });
}

char rule_of_kfunc(const ProgramCalls& calls, std::string_view name) {
  static const auto rules = [] {
    std::unordered_map<std::string_view, std::string_view> by_name;
    for (const KfuncCalls& kfuncs : call_tables.kfuncs)
      for (std::string_view names = kfuncs.names; !names.empty();) {
        size_t end = std::min(names.find(' '), names.size());
        by_name.emplace(names.substr(0, end), kfuncs.rules);
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    return by_name;
  }();
  auto found = rules.find(name);
  return found == rules.end() ? '*' : found->second[calls.column];
}

/// Whether a program may call a function.
struct Permission {
  Knowledge knowledge = Knowledge::Unknown;
  char rule = '*';
};

class CallRules {
 public:
  explicit CallRules(const NeedsCheck& needs)
      : kernel_(needs.kernel),
        programs_(needs.object.programs()),
        sleeps_later_(has_callbacks_that_sleep(needs.code)) {
    std::unordered_map<std::string_view, std::string_view> structs;
    std::unordered_set<std::string_view> releases;
    for (const StructOps& ops : needs.object.struct_ops())
      for (const StructOpsMember& member : ops.members) {
        std::string_view of_struct = essential_name(ops.type_name);
        structs.emplace(member.program, of_struct);
        if (of_struct == tcp_struct && member.name == tcp_release) releases.insert(member.program);
      }
    for (const Program& program : programs_) {
      auto in = structs.find(program.name);
      calls_.push_back(find(program.meaning, in == structs.end() ? "" : in->second));
      is_release_.push_back(releases.contains(program.name));
    }
  }

  Permission helper(const Program& program, uint32_t id) const {
    if (is_denied(program, id)) return {Knowledge::Absent, '-'};
    const ProgramCalls* calls = calls_of(program);
    if (!calls) return is_for_all(id) ? Permission{Knowledge::Known} : no_rule(program);
    char rule = rule_of_helper(*calls, id);
    bool is_old =
        is_since_introduction(rule) && (is_of_tracing(program.meaning.type) || is_for_all(id));
    return {is_old ? Knowledge::Known : follow(rule), rule};
  }

  Permission kfunc(const Program& program, std::string_view name) const {
    const ProgramCalls* calls = calls_of(program);
    if (!calls) return no_rule(program);
    if (name == "bpf_iter_css_task_new" && !may_visit_tasks(program.meaning))
      return {Knowledge::Absent, '!'};
    char rule = rule_of_kfunc(*calls, name);
    // Kernels register a kfunc for types of programs when they get it.
    return {is_since_introduction(rule) ? Knowledge::Known : follow(rule), rule};
  }

  /// Whether programs of that kind, which may sleep, exist.
  Permission existence(const Program& program) const {
    const ProgramCalls* calls = calls_of(program);
    if (!calls || is_since_introduction(calls->since)) return {Knowledge::Known};
    return {follow(calls->since), calls->since};
  }

  /// "kprobe programs", or "programs in 'cgroup/bind4'" where helpers depend on the attach type.
  std::string describe(const Program& program) const {
    const ProgramCalls* calls = calls_of(program);
    if (calls && calls->attach_type != any_attach_type && calls->struct_name.empty() &&
        !is_of_tracing(program.meaning.type))
      return fmt::format("programs in '{}'", program.section);
    return fmt::format("{} programs", program_type_name(program.meaning.type));
  }

 private:
  /// The entry for a program; null if the tables have none.
  static const ProgramCalls* find(const SectionMeaning& meaning, std::string_view struct_name) {
    bool is_struct_ops = meaning.type == ProgramType::StructOps;
    auto found = std::ranges::find_if(call_tables.programs, [&](const ProgramCalls& calls) {
      if (calls.type != meaning.type) return false;
      if (is_struct_ops) return calls.struct_name == struct_name;
      return calls.is_sleepable == meaning.sleepable &&
             (calls.attach_type == meaning.attach_type || calls.attach_type == any_attach_type);
    });
    return found == call_tables.programs.end() ? nullptr : &*found;
  }

  const ProgramCalls* calls_of(const Program& program) const {
    return calls_[static_cast<size_t>(&program - programs_.data())];
  }

  /// Whether programs put off work to where it may sleep. Which code that is, is not known.
  static bool has_callbacks_that_sleep(const CoreObject& code) {
    return std::ranges::any_of(code.kfunc_calls, [](const auto& call) {
      return call.first.starts_with("bpf_wq_set_callback") ||
             call.first.starts_with("bpf_task_work_schedule");
    });
  }

  /// Whether no kernel lets a program call a helper because of what it attaches to: functions of
  /// local storage must not be entered again, and a socket's congestion control that is released
  /// must not be replaced.
  bool is_denied(const Program& program, uint32_t id) const {
    const SectionMeaning& meaning = program.meaning;
    if (id == BPF_FUNC_sk_storage_get || id == BPF_FUNC_sk_storage_delete)
      return meaning.type == ProgramType::Tracing &&
             (meaning.attach_type == BPF_TRACE_FENTRY || meaning.attach_type == BPF_TRACE_FEXIT) &&
             meaning.target.starts_with("bpf_sk_storage");
    return (id == BPF_FUNC_setsockopt || id == BPF_FUNC_getsockopt) &&
           is_release_[static_cast<size_t>(&program - programs_.data())];
  }

  /// Whether programs may visit the tasks of a cgroup, which takes a lock.
  static bool may_visit_tasks(const SectionMeaning& meaning) {
    bool is_iterator =
        meaning.type == ProgramType::Tracing && meaning.attach_type == BPF_TRACE_ITER;
    return meaning.type == ProgramType::Lsm || is_iterator || meaning.sleepable;
  }

  /// What programs without a type of their own may call is reported once, for their type.
  static Permission no_rule(const Program& program) {
    ProgramType type = program.meaning.type;
    bool is_said = type == ProgramType::Ext || type == ProgramType::Unspec;
    return {is_said ? Knowledge::Known : Knowledge::Unknown};
  }

  /// What a rule of the call tables (facts/call_tables.hpp) says of this kernel's release.
  Knowledge follow(char rule) const {
    std::span releases = call_tables.releases;
    if (rule == '*') return Knowledge::Unknown;
    if (sleeps_later_ && (rule == '!' || is_for_sleepable_before(rule))) return Knowledge::Known;
    if (rule == '!') return Knowledge::Absent;
    if (is_since_introduction(rule)) {
      bool is_probed = kernel_.has_release(releases[rule - 'a']) == Knowledge::Known;
      return is_probed ? Knowledge::Known : Knowledge::Unknown;
    }
    size_t first = rule == '-' ? releases.size() : first_release(rule);
    // Between two probed releases, it is not known.
    LinuxRelease after = releases[first - 1];
    ++after.minor;
    return kernel_.has({first < releases.size() ? releases[first] : not_yet, after});
  }

  const Kernel& kernel_;
  std::span<const Program> programs_;
  bool sleeps_later_;
  std::vector<const ProgramCalls*> calls_{};  ///< by program: its entry, or null
  std::vector<bool> is_release_{};            ///< by program: whether it is tcp_release
};

/// Says that programs may not do something, or that it is not known. `what` is "call bpf_throw".
void report(const Permission& permission, const std::string& programs, std::string_view what,
            const Kernel& kernel, CoreFinding& finding) {
  if (permission.knowledge == Knowledge::Unknown) {
    bool lacks_release = !kernel.version_code && permission.rule != '*';
    return finding.leave_unknown(fmt::format("whether {} may {}", programs, what),
                                 lacks_release ? release_advice : load_advice);
  }
  finding.status = CoreStatus::Fails;
  std::string advice;
  if (permission.rule == '!' || is_for_sleepable_before(permission.rule)) {
    advice = "it may sleep: call it in a sleepable program";
  } else if (permission.rule != '-') {
    advice = fmt::format("in {} they may",
                         linux_name(call_tables.releases[first_release(permission.rule)]));
  }
  finding.complain(fmt::format("{} may not {}", programs, what), std::move(advice));
}

/// Programs that may not, or perhaps not, call a function, for one reason.
struct Caller {
  std::string description;
  Permission permission;
  std::vector<std::string_view> programs;
};

/// Groups the programs that may not call a function: there are few kinds of them.
template <typename PermissionOf>
std::vector<Caller> group_callers(const NeedsCheck& needs, const CallRules& rules,
                                  const ProgramList& users, PermissionOf permission_of) {
  std::vector<Caller> callers;
  std::map<std::pair<std::string, char>, size_t> known;
  for (std::string_view user : users) {
    const Program* program = needs.object.find_program(user);
    Permission permission = program ? permission_of(*program) : Permission{Knowledge::Known};
    if (permission.knowledge == Knowledge::Known) continue;
    std::string description = rules.describe(*program);
    auto [entry, is_new] = known.try_emplace({description, permission.rule}, callers.size());
    if (is_new) callers.push_back({std::move(description), permission, {}});
    callers[entry->second].programs.push_back(program->name);
  }
  return callers;
}

/// Of a function that the kernel has: whether those that reach a call of it may call it.
template <typename PermissionOf>
void check_callers(NeedsCheck& needs, const CallRules& rules, CoreNeed need,
                   const std::string& name, std::span<const InsnPlace> calls,
                   PermissionOf permission_of) {
  auto may_fail = [&](const Program& program) {
    return permission_of(program).knowledge != Knowledge::Known;
  };
  if (std::ranges::none_of(needs.object.programs(), may_fail)) return;
  ProgramList users = needs.users_of(calls, CodeUse::Reached);
  if (users.empty()) return;
  for (Caller& caller : group_callers(needs, rules, users, permission_of))
    report(caller.permission, caller.description, "call " + name, needs.kernel,
           needs.add(need, name, std::move(caller.programs), calls));
}

void check_helpers(NeedsCheck& needs, const CallRules& rules) {
  for (const auto& [id, calls] : needs.code.helper_calls) {
    Knowledge existence = needs.kernel.has_enumerator("bpf_func_id", id);
    std::string name = helper_name(id);
    auto permission_of = [&, id = id](const Program& program) { return rules.helper(program, id); };
    if (existence == Knowledge::Known) {
      check_callers(needs, rules, CoreNeed::Helper, name, calls, permission_of);
      continue;
    }
    if (fallback_of(id)) continue;
    ProgramList users = needs.users_of(calls, CodeUse::Reached);
    if (users.empty()) continue;
    CoreFinding& finding = needs.add(CoreNeed::Helper, name, std::move(users), calls);
    std::string thing = fmt::format("helper {} (id {})", name, id);
    if (existence == Knowledge::Unknown)
      finding.leave_unknown(std::move(thing), whole_btf_advice);
    else
      finding.fail("there is no " + thing);
  }
}

/// A call of a weak function that is absent is invalid, so it must stand behind a test of its
/// address. A function that is not a kfunc has an address, and its call is refused.
void check_kfuncs(NeedsCheck& needs, const CallRules& rules) {
  for (const auto& [symbol, calls] : needs.code.kfunc_calls) {
    auto declared = needs.kfuncs.find(symbol);
    if (declared == needs.kfuncs.end()) continue;
    CoreFinding& finding = needs.findings[declared->second];
    std::string_view name = essential_name(symbol);
    if (finding.status == CoreStatus::Resolves && !finding.complaint) {
      auto permission_of = [&](const Program& program) { return rules.kfunc(program, name); };
      check_callers(needs, rules, CoreNeed::Kfunc, std::string(name), calls, permission_of);
      continue;
    }
    const Extern* entry = needs.object.find_extern(symbol);
    bool may_be_absent = finding.status == CoreStatus::Unknown && entry && entry->is_weak;
    if (finding.status != CoreStatus::Resolves && !may_be_absent) continue;
    finding.programs = needs.users_of(calls, CodeUse::Reached);
    finding.places = calls;
    if (finding.programs.empty())
      finding.status = CoreStatus::Resolves;
    else if (!may_be_absent)
      finding.status = CoreStatus::Fails;
    if (finding.status == CoreStatus::Fails && finding.becomes_zero)
      finding.complaint->advice =
          fmt::format("guard the call with if (bpf_ksym_exists({}))", symbol);
  }
}

/// Of programs in sections such as "uprobe.s" and "xdp.frags".
void check_flags(NeedsCheck& needs, const CallRules& rules) {
  for (const Program& program : needs.object.programs()) {
    std::string type(program_type_name(program.meaning.type));
    Permission permission =
        program.meaning.sleepable ? rules.existence(program) : Permission{Knowledge::Known};
    if (permission.knowledge != Knowledge::Known)
      report(permission, rules.describe(program), "sleep", needs.kernel,
             needs.add(CoreNeed::ProgramType, type, program.name));
    auto require = [&](KernelFeature feature) {
      if (needs.kernel.has(feature) == Knowledge::Known) return;
      const KernelFeatureRow& row = row_of(feature);
      needs.report_release(needs.add(CoreNeed::ProgramType, type, program.name), row.brought,
                           std::string(row.name), fmt::format("there are no {}, which", row.name));
    };
    if (program.meaning.xdp_frags) require(KernelFeature::XdpFrags);
    bool is_struct_ops = program.meaning.type == ProgramType::StructOps;
    if (is_struct_ops && program.meaning.sleepable) require(KernelFeature::SleepingStructOps);
  }
}

}  // namespace

void NeedsCheck::check_calls() {
  CallRules rules(*this);
  check_helpers(*this, rules);
  check_kfuncs(*this, rules);
  check_flags(*this, rules);
}

}  // namespace bpflink
