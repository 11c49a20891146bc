#include "linker/kernels/denied_targets.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <iterator>
#include <string>

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

/// LSM hooks in which programs may sleep: sleepable_lsm_hooks of the kernel.
struct SleepableHooks {
  LinuxRelease since;      ///< the first of the asked releases
  LinuxRelease before{};   ///< releases before this one refuse it
  std::string_view names;  ///< with a space around each
};
constexpr SleepableHooks sleepable_hooks[] = {
    {{5, 10}, {}, " bprm_committed_creds "},
    {{6, 1},
     {5, 11},
     " bpf bpf_map bpf_map_alloc_security bpf_map_free_security bpf_prog bprm_check_security "
     "bprm_committing_creds bprm_creds_for_exec bprm_creds_from_file capget capset cred_prepare "
     "current_getsecid_subj file_ioctl file_lock file_open file_receive inode_create "
     "inode_free_security inode_getattr inode_getxattr inode_mknod inode_need_killpriv "
     "inode_post_setxattr inode_readlink inode_rename inode_rmdir inode_setattr inode_setxattr "
     "inode_symlink inode_unlink kernel_module_request kernel_read_file kernfs_init_security "
     "key_free mmap_file netlink_send path_notify release_secctx sb_alloc_security "
     "sb_eat_lsm_opts sb_kern_mount sb_mount sb_remount sb_set_mnt_opts sb_show_options sb_statfs "
     "sb_umount settime socket_accept socket_bind socket_connect socket_create "
     "socket_getpeername socket_getpeersec_dgram socket_getsockname socket_getsockopt "
     "socket_listen socket_post_create socket_recvmsg socket_sendmsg socket_shutdown "
     "socket_socketpair syslog task_alloc task_getsecid_obj task_prctl task_setscheduler "
     "userns_create "},
    {{6, 12},
     {6, 2},
     " bpf_map_create bpf_map_free bpf_prog_load bpf_token_capable bpf_token_cmd "
     "bpf_token_create bpf_token_free file_post_open path_chmod path_chown path_link path_mkdir "
     "path_rename path_rmdir path_symlink path_truncate path_unlink "},
    {{7, 2},
     {6, 13},
     " bdev_alloc_security bdev_setintegrity inode_post_removexattr inode_removexattr "},
};
/// In some of the asked releases only.
constexpr std::string_view once_sleepable_hook = "inet_conn_established";
constexpr LinuxRelease after_asked{7, 4};

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

Knowledge may_sleep_in(const Kernel& kernel, std::string_view hook) {
  if (hook == once_sleepable_hook) return Knowledge::Unknown;
  std::string name = fmt::format(" {} ", hook);
  LinuxRelease before = after_asked;
  for (const SleepableHooks& hooks : sleepable_hooks) {
    if (!hooks.names.contains(name)) continue;
    if (kernel.has_release(hooks.since) == Knowledge::Known) return Knowledge::Known;
    before = hooks.before;
  }
  return kernel.has_release(before) == Knowledge::Absent ? Knowledge::Absent : Knowledge::Unknown;
}

}  // namespace bpflink
