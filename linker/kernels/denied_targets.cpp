#include "linker/kernels/denied_targets.hpp"

#include <linux/bpf.h>

#include <algorithm>
#include <iterator>

namespace bpflink {
namespace {

enum class Denied : uint8_t { Always, AtReturn, Hook };

struct Row {
  std::string_view name;
  Denied denied;
  LinuxRelease since;
  LinuxRelease perhaps = since;  ///< stable versions of releases from this one on have it as well
};
constexpr LinuxRelease first_of_deny{5, 13}, first_of_noreturn{6, 15}, first_of_hooks{6, 12};

constexpr Row rows[] = {
    {"migrate_disable", Denied::Always, first_of_deny},
    {"migrate_enable", Denied::Always, first_of_deny},
    {"rcu_read_unlock_strict", Denied::Always, first_of_deny},
    {"___migrate_enable", Denied::Always, {6, 18}},
    {"preempt_count_add", Denied::Always, {6, 4}},
    {"preempt_count_sub", Denied::Always, {6, 4}},
    {"__rcu_read_lock", Denied::Always, {6, 4}},
    {"__rcu_read_unlock", Denied::Always, {6, 4}},
    {"__ia32_sys_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"__ia32_sys_exit_group", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"__kunit_abort", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"kunit_try_catch_throw", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"__module_put_and_kthread_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"__x64_sys_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"__x64_sys_exit_group", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"do_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"do_group_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"kthread_complete_and_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"kthread_exit", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"make_task_dead", Denied::AtReturn, first_of_noreturn, first_of_hooks},
    {"vm_enough_memory", Denied::Hook, first_of_hooks},
    {"inode_need_killpriv", Denied::Hook, first_of_hooks},
    {"inode_getsecurity", Denied::Hook, first_of_hooks},
    {"inode_listsecurity", Denied::Hook, first_of_hooks},
    {"inode_copy_up_xattr", Denied::Hook, first_of_hooks},
    {"getselfattr", Denied::Hook, first_of_hooks},
    {"getprocattr", Denied::Hook, first_of_hooks},
    {"setprocattr", Denied::Hook, first_of_hooks},
    {"key_getsecurity", Denied::Hook, first_of_hooks},
    {"audit_rule_match", Denied::Hook, first_of_hooks},
    {"ismaclabel", Denied::Hook, first_of_hooks},
    {"file_alloc_security", Denied::Hook, {7, 2}},
    {"xfrm_decode_session", Denied::Hook, {7, 2}, first_of_hooks},
};

/// Whether programs of that attach type run when the function returns.
bool runs_at_return(uint32_t attach_type) {
  constexpr uint32_t fsession = 58;  // not in the headers of every system
  return attach_type == BPF_TRACE_FEXIT || attach_type == BPF_MODIFY_RETURN ||
         attach_type == fsession;
}

}  // namespace

std::optional<DeniedTarget> find_denied(const SectionMeaning& meaning, std::string_view name) {
  bool is_hook = meaning.type == ProgramType::Lsm;
  auto row = std::ranges::find_if(rows, [&](const Row& candidate) {
    return candidate.name == name && (candidate.denied == Denied::Hook) == is_hook;
  });
  if (row == std::end(rows)) return std::nullopt;
  switch (row->denied) {
    case Denied::Always:
      return DeniedTarget{row->since, row->perhaps, "is denied: programs rely on it themselves"};
    case Denied::AtReturn:
      if (!runs_at_return(meaning.attach_type)) return std::nullopt;
      return DeniedTarget{row->since, row->perhaps,
                          "does not return: only fentry programs are accepted"};
    case Denied::Hook:
      return DeniedTarget{row->since, row->perhaps, "is disabled for programs"};
  }
  return std::nullopt;
}

}  // namespace bpflink
