#include "linker/facts/denied_targets.hpp"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <string>

namespace bpflink {
namespace {

constexpr std::string_view always = "is denied: programs rely on it themselves",
                           at_return = "does not return: only fentry programs are accepted",
                           hook = "is disabled for programs";

/// Functions or hooks that kernels deny since the same releases; names have a space around each.
struct DeniedNames {
  std::string_view reason;  ///< one of these
  Introduction since;
  std::string_view names;
};
constexpr DeniedNames denied_names[] = {
    {always, {{5, 13}}, " migrate_disable migrate_enable rcu_read_unlock_strict "},
    {always, {{6, 4}}, " preempt_count_add preempt_count_sub __rcu_read_lock __rcu_read_unlock "},
    {always, {{6, 18}}, " ___migrate_enable "},
    {at_return,
     {{6, 15}, {6, 12}},  // stable versions of earlier releases have it as well
     " __ia32_sys_exit __ia32_sys_exit_group __kunit_abort kunit_try_catch_throw "
     "__module_put_and_kthread_exit __x64_sys_exit __x64_sys_exit_group do_exit do_group_exit "
     "kthread_complete_and_exit kthread_exit make_task_dead "},
    {hook,
     {{6, 12}},
     " vm_enough_memory inode_need_killpriv inode_getsecurity inode_listsecurity "
     "inode_copy_up_xattr getselfattr getprocattr setprocattr key_getsecurity audit_rule_match "
     "ismaclabel "},
    {hook, {{7, 2}}, " file_alloc_security "},
    {hook, {{7, 2}, {6, 12}}, " xfrm_decode_session "},
};

/// LSM hooks in which programs may sleep: sleepable_lsm_hooks of the kernel.
struct SleepableHooks {
  Introduction since;      ///< the first of the asked releases
  std::string_view names;  ///< with a space around each
};
constexpr SleepableHooks sleepable_hooks[] = {
    {{{5, 10}, {}}, " bprm_committed_creds "},
    {{{6, 1}, {5, 11}},
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
    {{{6, 12}, {6, 2}},
     " bpf_map_create bpf_map_free bpf_prog_load bpf_token_capable bpf_token_cmd "
     "bpf_token_create bpf_token_free file_post_open path_chmod path_chown path_link path_mkdir "
     "path_rename path_rmdir path_symlink path_truncate path_unlink "},
    {{{7, 2}, {6, 13}},
     " bdev_alloc_security bdev_setintegrity inode_post_removexattr inode_removexattr "},
};
/// In some of the asked releases only.
constexpr std::string_view once_sleepable_hook = "inet_conn_established";

/// Whether programs of that attach type run when the function returns.
bool runs_at_return(uint32_t attach_type) {
  constexpr uint32_t fsession = 58;  // not in the headers of every system
  return attach_type == BPF_TRACE_FEXIT || attach_type == BPF_MODIFY_RETURN ||
         attach_type == fsession;
}

}  // namespace

std::optional<DeniedTarget> find_denied(const SectionMeaning& meaning, std::string_view name) {
  bool is_hook = meaning.type == ProgramType::Lsm;
  std::string wanted = fmt::format(" {} ", name);
  for (const DeniedNames& row : denied_names)
    if (row.names.contains(wanted) && (row.reason == hook) == is_hook &&
        (row.reason != at_return || runs_at_return(meaning.attach_type)))
      return DeniedTarget{row.since, row.reason};
  return std::nullopt;
}

std::optional<Introduction> sleepable_since(std::string_view hook_name) {
  if (hook_name == once_sleepable_hook) return std::nullopt;
  std::string name = fmt::format(" {} ", hook_name);
  for (const SleepableHooks& hooks : sleepable_hooks)
    if (hooks.names.contains(name)) return hooks.since;
  return in_no_kernel;
}

}  // namespace bpflink
