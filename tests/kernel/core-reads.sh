#!/bin/bash
# CO-RE reads of the running kernel's structs from two files. Each file's own structs have only the
# fields it uses, laid out differently; libbpf relocates each access.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

compile a <<'EOF'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct { int tgid; int pid; } __attribute__((preserve_access_index));
SEC("raw_tp") int same_pid(void *ctx) {
  struct task_struct *task = (void *)bpf_get_current_task();
  return BPF_CORE_READ(task, pid) == (__u32)bpf_get_current_pid_tgid();
}
EOF
compile b <<'EOF'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct___b { long pad[3]; struct task_struct___b *group_leader; int pid; int no_such_field; char comm[16]; }
  __attribute__((preserve_access_index));
int comm_offset;
SEC("raw_tp") int leader(void *ctx) {
  struct task_struct___b *task = (void *)bpf_get_current_task();
  comm_offset = bpf_core_field_offset(task->comm);
  return (BPF_CORE_READ(task, group_leader, pid) == bpf_get_current_pid_tgid() >> 32) +
         2 * !bpf_core_field_exists(task->no_such_field) + 4 * (bpf_core_field_size(task->comm) == 16);
}
EOF
link a.o b.o
offset=$(bpftool btf dump file /sys/kernel/btf/vmlinux | awk '
  /^\[/ { inside = $2 == "STRUCT" && $3 == "'\''task_struct'\''" }
  inside && $1 == "'\''comm'\''" { sub(/.*=/, "", $3); if (!found++) print $3 / 8 }')
run 'same_pid()=1' 'leader()=7' "comm_offset=$offset"
