#!/bin/bash
# Relocations of all kinds against the running kernel give the values that libbpf gives when it loads
# the program.
. "$(dirname "$0")/common.sh"
[[ -r /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

compile program <<'EOS'
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct list_head { struct list_head *next; };
struct task_struct___mine { int pid; int tgid; char comm[16]; struct list_head tasks; struct task_struct___mine *group_leader; long no_such_member; };
struct sk_buff { unsigned char pkt_type : 3; unsigned int len; };
struct no_such_struct { int x; };
enum pid_type { PIDTYPE_TGID = 77, PIDTYPE_NONE_SUCH = 78 };
struct file { int f_flags; };
#pragma clang attribute pop
typedef int no_such_typedef;
unsigned long sink;
SEC("raw_tp/sys_enter") int reads(void *ctx) {
  struct task_struct___mine *task = (void *)bpf_get_current_task();
  sink += BPF_CORE_READ(task, group_leader, pid) + BPF_CORE_READ(task, tasks.next) != 0;
  sink += bpf_core_field_offset(task->comm[3]) + bpf_core_field_size(task->comm);
  if (bpf_core_field_exists(task->no_such_member)) sink += BPF_CORE_READ(task, no_such_member);
  return 0;
}
SEC("raw_tp/sys_exit") int types(void *ctx) {
  struct sk_buff *skb = ctx;
  sink += BPF_CORE_READ_BITFIELD_PROBED(skb, pkt_type);
  sink += bpf_core_type_exists(struct sk_buff) + bpf_core_type_exists(no_such_typedef) + bpf_core_type_size(struct file);
  sink += bpf_core_type_id_kernel(struct file) + bpf_core_type_id_local(struct file);
  sink += bpf_core_type_matches(struct file) + bpf_core_type_exists(struct no_such_struct);
  sink += bpf_core_enum_value(enum pid_type, PIDTYPE_TGID);
  if (bpf_core_enum_value_exists(enum pid_type, PIDTYPE_NONE_SUCH))
    sink += bpf_core_enum_value(enum pid_type, PIDTYPE_NONE_SUCH);
  return 0;
}
EOS
python3 "$here/compare.py" program.o /sys/kernel/btf/vmlinux
core 0 check program.o /sys/kernel/btf/vmlinux --json all.json
guarded=$(status all.json | grep -c guarded)
((guarded == 2)) || fail "$guarded relocations are guarded: $(status all.json)"
kinds=$(status all.json | cut -d' ' -f3 | sort -u | wc -l)
((kinds == 13)) || fail "$kinds kinds: $(status all.json)"
