#!/bin/bash
# A member that became a bit-field: a plain read resolves, and would get other bits.
. "$(dirname "$0")/common.sh"

compile reads <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { unsigned in_execve; } __attribute__((preserve_access_index));
struct task_struct___bits { unsigned in_execve : 1; } __attribute__((preserve_access_index));
SEC("raw_tp") int loads(struct task_struct *task) { return task->in_execve; }
SEC("raw_tp") int plain(struct task_struct *task) { return BPF_CORE_READ(task, in_execve); }
SEC("raw_tp") int with_macro(struct task_struct *task) { return BPF_CORE_READ_BITFIELD(task, in_execve); }
SEC("raw_tp") int asks(struct task_struct *task) {
  return bpf_core_field_size(task->in_execve) == 8 ? BPF_CORE_READ(task, in_execve) : 0;
}
EOS
kernel bits <<<'struct task_struct { unsigned pid : 3, in_execve : 1; } task; void init(void) {}'
kernel whole <<<'struct task_struct { unsigned pid, in_execve; } task; void init(void) {}'
fits 'loadsX plainX with_macro+ asks+' reads.o bits.btf --json bits.json
says 'error: struct task_struct.in_execve is a bit-field, which no load or store fits in bits.btf'
says 'error: struct task_struct.in_execve is a bit-field, and a plain access reads other bits in bits.btf'
says '>>> use BPF_CORE_READ_BITFIELD()'
core 0 check reads.o whole.btf
[[ ! -s core.log ]] || fail "$(<core.log)"
