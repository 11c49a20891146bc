#!/bin/bash
# The complete output of bpfcore check for failing accesses.
. "$(dirname "$0")/common.sh"

compile trace -fno-ident <<'EOS'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct { long state; int start_time; };
enum phase { PHASE_RUNNING, PHASE_STOPPED };
struct gone { int x; };
#pragma clang attribute pop
long sum;
SEC("raw_tp/sys_enter") int enter(void *ctx) {
  struct task_struct *task = (void *)bpf_get_current_task();
  sum += BPF_CORE_READ(task, state);
  return 0;
}
SEC("?raw_tp/sys_exit") int maybe(void *ctx) {
  struct task_struct *task = (void *)bpf_get_current_task();
  sum += BPF_CORE_READ(task, start_time);
  return 0;
}
SEC("raw_tp/sched_switch") int others(void *ctx) {
  struct gone *gone = ctx;
  sum += bpf_core_enum_value(enum phase, PHASE_STOPPED);
  sum += BPF_CORE_READ(gone, x);
  return 0;
}
EOS
mkdir 5.10 5.14
kernel 5.10/vmlinux <<'EOS'
struct task_struct { long state; int start_time; } task;
enum phase { PHASE_RUNNING, PHASE_STOPPED } phase;
struct gone { int x; } gone;
typedef void *btf_trace_sys_enter, *btf_trace_sys_exit, *btf_trace_sched_switch;
void init(btf_trace_sys_enter a, btf_trace_sys_exit b, btf_trace_sched_switch c) {}
EOS
kernel 5.14/vmlinux <<'EOS'
struct task_struct { unsigned int __state; struct { int start_time; } times; } task;
enum phase { PHASE_RUNNING, PHASE_STOPPED_NOW } phase;
typedef void *btf_trace_sys_enter, *btf_trace_sys_exit, *btf_trace_sched_switch;
void init(btf_trace_sys_enter a, btf_trace_sys_exit b, btf_trace_sched_switch c) {}
EOS
cat >manifest.json <<'EOS'
[{"file": "5.10/vmlinux.btf", "release": "5.10.1"}, {"file": "5.14/vmlinux.btf", "release": "5.14.0-70.el9"}]
EOS
core 1 check trace.o 5.10/vmlinux.btf 5.14/vmlinux.btf --manifest manifest.json --table
diff - core.log <<'EOS' || fail 'messages'
trace.bpf.c:11:10: error: struct task_struct has no member 'state' in 1 of 2 kernels
   11 |   sum += BPF_CORE_READ(task, state);
      |          ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program enter
>>> the kernel has: unsigned int __state
>>> guard it with bpf_core_field_exists(struct task_struct, state), or read a flavor: struct task_struct___5_14 { unsigned int __state; }
trace.bpf.c:16:10: warning: struct task_struct has no member 'start_time' in 1 of 2 kernels
   16 |   sum += BPF_CORE_READ(task, start_time);
      |          ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program maybe
>>> the kernel has: int start_time in 'times'
>>> guard it with bpf_core_field_exists(struct task_struct, start_time)
trace.bpf.c:21:7: error: enum phase has no enumerator 'PHASE_STOPPED' in 1 of 2 kernels
   21 |   sum += bpf_core_enum_value(enum phase, PHASE_STOPPED);
      |       ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program others
>>> the kernel has: PHASE_STOPPED_NOW
>>> guard it with bpf_core_enum_value_exists(enum phase, PHASE_STOPPED)
trace.bpf.c:22:10: error: struct gone does not exist in 1 of 2 kernels
   22 |   sum += BPF_CORE_READ(gone, x);
      |          ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program others
>>> guard it with bpf_core_field_exists(struct gone, x)
EOS
diff - core.out <<'EOS' || fail 'table'
1  5.10/vmlinux.btf  5.10.1
2  5.14/vmlinux.btf  5.14.0-70.el9

trace.o
         1 2
enter    + X
maybe    + X  (optional)
others   + X

+ everything resolves   g failures are guarded   ? not known   X fails
0 of 3 programs fit all 2 kernels
EOS
core 0 check trace.o --kernel 5.10/vmlinux.btf
[[ ! -s core.log ]] || fail "messages where nothing fails: $(cat core.log)"
core 0 check trace.o 5.14/vmlinux.btf --optional enter --optional others
says 'warning: struct gone does not exist in 5.14/vmlinux.btf'
core 2 check trace.o 5.14/vmlinux.btf --optional other
says "--optional other: no object has a program of that name"
core 2 check trace.o 5.14/vmlinux.btf --set other=1
says "--set other: no object has a variable of that name in .rodata"

# The advice uses the program's type names, with flavors.
compile flavor <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct___old { int lost; } __attribute__((preserve_access_index));
SEC("raw_tp/sys_enter") int enter(struct task_struct___old *task) { return BPF_CORE_READ(task, lost); }
EOS
core 1 check flavor.o 5.14/vmlinux.btf
says "error: struct task_struct has no member 'lost' in 5.14/vmlinux.btf"
says '>>> guard it with bpf_core_field_exists(struct task_struct___old, lost)'

# --differences reports members that differ but still resolve.
kernel differs <<'EOS'
struct task_struct { int state; unsigned int start_time; } task;
enum phase { PHASE_STOPPED } phase;
struct gone { int x; } gone;
typedef void *btf_trace_sys_enter, *btf_trace_sys_exit, *btf_trace_sched_switch;
void init(btf_trace_sys_enter a, btf_trace_sys_exit b, btf_trace_sched_switch c) {}
EOS
core 0 check trace.o differs.btf
[[ ! -s core.log ]] || fail "differences unasked for: $(cat core.log)"
core 0 check trace.o differs.btf --differences
says 'warning: struct task_struct.state has 4 bytes, but 8 in the program in differs.btf'
says 'warning: struct task_struct.start_time has another signedness than in the program in differs.btf'
