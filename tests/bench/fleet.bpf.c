// What a tracing program reads of a kernel: some 40 members of common structs.
// clang-format off: the others need its types
#include <linux/bpf.h>
// clang-format on
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct qstr {
  const unsigned char* name;
};
struct inode {
  unsigned long i_ino;
  unsigned int i_nlink;
  unsigned short i_mode;
};
struct dentry {
  struct dentry* d_parent;
  struct qstr d_name;
  struct inode* d_inode;
};
struct vfsmount {
  struct dentry* mnt_root;
};
struct path {
  struct vfsmount* mnt;
  struct dentry* dentry;
};
struct file {
  struct path f_path;
  unsigned int f_flags;
  struct inode* f_inode;
};
struct mm_struct {
  unsigned long arg_start, arg_end, total_vm;
  struct file* exe_file;
};
struct ns_common {
  unsigned int inum;
};
struct mnt_namespace {
  struct ns_common ns;
};
struct pid_namespace {
  struct ns_common ns;
  unsigned int level;
};
struct net {
  struct ns_common ns;
};
struct nsproxy {
  struct mnt_namespace* mnt_ns;
  struct pid_namespace* pid_ns_for_children;
  struct net* net_ns;
};
struct kernfs_node {
  unsigned long long id;
};
struct cgroup {
  struct kernfs_node* kn;
};
struct css_set {
  struct cgroup* dfl_cgrp;
};
struct task_struct {
  int pid, tgid, exit_code;
  struct task_struct *real_parent, *group_leader;
  char comm[16];
  struct mm_struct* mm;
  struct nsproxy* nsproxy;
  struct css_set* cgroups;
  unsigned long long start_time;
};
typedef struct {
  struct net* net;
} possible_net_t;
struct sock_common {
  unsigned short skc_family, skc_num, skc_dport;
  unsigned int skc_daddr, skc_rcv_saddr;
  volatile unsigned char skc_state;
  possible_net_t skc_net;
};
struct sock {
  struct sock_common __sk_common;
  unsigned short sk_protocol;
  int sk_rcvbuf;
};
struct sk_buff {
  unsigned int len;
  unsigned char* head;
  unsigned short network_header, transport_header;
  struct sock* sk;
};
struct linux_binprm {
  struct file* file;
  const char* filename;
  int argc;
};
enum bpf_func_id___own { BPF_FUNC_loop___own = 181 };
#pragma clang attribute pop

struct event {
  unsigned long long values[48];
};
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, struct event);
} events SEC(".maps");

#define PUT(value) event->values[at++] = (unsigned long long)(value)

SEC("raw_tp/sched_process_exec") int exec(struct bpf_raw_tracepoint_args* ctx) {
  int key = 0, at = 0;
  struct event* event = bpf_map_lookup_elem(&events, &key);
  struct task_struct* task = (void*)ctx->args[0];
  struct linux_binprm* binprm = (void*)ctx->args[2];
  if (!event) return 0;
  PUT(BPF_CORE_READ(task, pid));
  PUT(BPF_CORE_READ(task, tgid));
  PUT(BPF_CORE_READ(task, exit_code));
  PUT(BPF_CORE_READ(task, real_parent, tgid));
  PUT(BPF_CORE_READ(task, group_leader, start_time));
  PUT(BPF_CORE_READ(task, mm, arg_start));
  PUT(BPF_CORE_READ(task, mm, arg_end));
  PUT(BPF_CORE_READ(task, mm, total_vm));
  PUT(BPF_CORE_READ(task, mm, exe_file, f_path.dentry, d_name.name));
  PUT(BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum));
  PUT(BPF_CORE_READ(task, nsproxy, net_ns, ns.inum));
  PUT(BPF_CORE_READ(task, nsproxy, pid_ns_for_children, level));
  PUT(BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id));
  PUT(BPF_CORE_READ(binprm, file, f_inode, i_ino));
  PUT(BPF_CORE_READ(binprm, file, f_flags));
  PUT(BPF_CORE_READ(binprm, file, f_path.mnt, mnt_root));
  PUT(BPF_CORE_READ(binprm, filename));
  PUT(BPF_CORE_READ(binprm, argc));
  PUT(BPF_CORE_READ(binprm, file, f_inode, i_mode));
  PUT(BPF_CORE_READ(binprm, file, f_inode, i_nlink));
  PUT(bpf_core_field_exists(task->comm));
  PUT(bpf_core_field_size(task->comm));
  PUT(bpf_core_type_size(struct task_struct));
  PUT(bpf_core_enum_value_exists(enum bpf_func_id___own, BPF_FUNC_loop___own));
  return 0;
}

SEC("raw_tp/netif_receive_skb") int receive(struct bpf_raw_tracepoint_args* ctx) {
  int key = 0, at = 0;
  struct event* event = bpf_map_lookup_elem(&events, &key);
  struct sk_buff* skb = (void*)ctx->args[0];
  if (!event) return 0;
  PUT(BPF_CORE_READ(skb, len));
  PUT(BPF_CORE_READ(skb, head));
  PUT(BPF_CORE_READ(skb, network_header));
  PUT(BPF_CORE_READ(skb, transport_header));
  PUT(BPF_CORE_READ(skb, sk, sk_protocol));
  PUT(BPF_CORE_READ(skb, sk, sk_rcvbuf));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_family));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_num));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_dport));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_daddr));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_rcv_saddr));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_state));
  PUT(BPF_CORE_READ(skb, sk, __sk_common.skc_net.net, ns.inum));
  return 0;
}
