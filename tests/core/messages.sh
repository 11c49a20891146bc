#!/bin/bash
# The complete output of bpfcore check for failing accesses.
. "$(dirname "$0")/common.sh"

compile trace -fno-ident <<'EOS'
#include <bpf/bpf_core_read.h>
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
trace.bpf.c:10:10: error: struct task_struct has no member 'state' in 1 of 2 kernels
   10 |   sum += BPF_CORE_READ(task, state);
      |          ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program enter
>>> the kernel has: unsigned int __state
>>> guard it with bpf_core_field_exists(struct task_struct, state), or read a flavor: struct task_struct___5_14 { unsigned int __state; }
trace.bpf.c:15:10: warning: struct task_struct has no member 'start_time' in 1 of 2 kernels
   15 |   sum += BPF_CORE_READ(task, start_time);
      |          ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program maybe
>>> the kernel has: int start_time in 'times'
>>> guard it with bpf_core_field_exists(struct task_struct, start_time)
trace.bpf.c:20:7: error: enum phase has no enumerator 'PHASE_STOPPED' in 1 of 2 kernels
   20 |   sum += bpf_core_enum_value(enum phase, PHASE_STOPPED);
      |       ^
>>> fails on 5.14 (1): 5.14.0-70.el9
>>> needed by program others
>>> the kernel has: PHASE_STOPPED_NOW
>>> guard it with bpf_core_enum_value_exists(enum phase, PHASE_STOPPED)
trace.bpf.c:21:10: error: struct gone does not exist in 1 of 2 kernels
   21 |   sum += BPF_CORE_READ(gone, x);
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

# A hint names what has the same meaning.
compile meaning <<'EOS'
#include <bpf/bpf_core_read.h>
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct timespec64 { long tv_sec; long tv_nsec; };
struct inode { struct timespec64 i_atime, i_mtime; int count; };
struct module_layout { void *base; unsigned int size; };
struct module { struct module_layout core_layout; };
struct kernel_cap { unsigned int cap[2]; };
struct cred { struct kernel_cap cap_effective; };
#pragma clang attribute pop
long sum;
SEC("raw_tp/sys_enter") int enter(void *ctx) {
  struct inode *inode = ctx;
  struct module *module = ctx;
  struct cred *cred = ctx;
  sum += BPF_CORE_READ(inode, i_atime.tv_nsec);
  sum += BPF_CORE_READ(inode, i_mtime.tv_sec);
  sum += BPF_CORE_READ(inode, count);
  sum += BPF_CORE_READ(module, core_layout.size);
  sum += BPF_CORE_READ(cred, cap_effective.cap[1]);
  return 0;
}
EOS
kernel later <<'EOS'
struct timespec64 { long tv_sec; long tv_nsec; };
struct inode { long i_atime_sec; unsigned int i_atime_nsec; struct timespec64 __i_mtime; char *counts; } inode;
struct module_memory { void *base; unsigned int size; };
struct module { unsigned int sizes; struct module_memory mem[7]; } module;
struct kernel_cap { unsigned long val; };
struct cred { struct kernel_cap cap_effective; } cred;
EOS
core 1 check meaning.o later.btf
for there in 'unsigned int i_atime_nsec' 'struct timespec64 __i_mtime' "unsigned int size in 'mem[0]'" 'unsigned long val'; do
  says ">>> the kernel has: $there"
done
[[ $(grep -c 'the kernel has' core.log) == 4 ]] || fail "$(<core.log)" # 'counts' is a pointer

# An array of another size: newer loaders change the load, older ones refuse it.
compile array -mcpu=v3 <<'EOS'
#include <bpf/bpf_core_read.h>
struct pair { unsigned int numbers[2]; } __attribute__((preserve_access_index));
unsigned sum;
SEC("fentry/init") int enter(void *ctx) {
  struct pair *pair = ctx;
  sum += *(volatile unsigned int *)pair->numbers;
  return 0;
}
SEC("fentry/init") int reads(void *ctx) { sum += *(unsigned *)BPF_CORE_READ((struct pair *)ctx, numbers); return 0; }
EOS
kernel wide <<<'struct pair { unsigned int numbers[4]; } pair; void init(void) {}'
core 0 check array.o wide.btf
says 'warning: struct pair.numbers is an array of another size, which libbpf before 1.6 cannot access that way in wide.btf'
says '>>> load the program with a newer libbpf, or read it with BPF_CORE_READ()'
says '>>> needed by program enter'
says_not 'reads'
cp wide.btf wider.btf
core 0 check array.o wide.btf wider.btf
says '>>> differs on 2 kernels: wide.btf, wider.btf'

# A name that no kernel accepts is refused: it would stand in each result.
long=$(printf 'n%.0s' {1..600})
compile long <<<"SEC(\"xdp\") int $long(void *ctx) { return 2; }"
core 2 check long.o wide.btf
says "bpfcore: error: long.o: program '${long:0:32}...' has a name of 600 bytes: kernels accept 511"

# A line break in a name begins no row of a table.
compile forged <<'EOS'
struct task_struct { int gone; } __attribute__((preserve_access_index));
int prog(struct task_struct *c) __asm__("a   +\nforged");
SEC("xdp") int prog(struct task_struct *c) { return c->gone; }
EOS
core 1 check --table forged.o wide.btf
grep -qE '^a   \+\?forged +X$' core.out || fail "another table: $(<core.out)"

# Of what many programs lack, all are named in one result.
compile shared <<'EOS'
static __noinline int shared(void *ctx) { return ((int (*)(void *))4000)(ctx); }
SEC("fentry/init") int one(void *ctx) { return shared(ctx); }
SEC("fentry/init") int two(void *ctx) { return shared(ctx); }
EOS
core 1 check shared.o wide.btf --json shared.json
says '>>> needed by program one, two'
[[ $(jq -c '.findings[] | select(.kind == "helper") | .programs' shared.json) == '["one","two"]' ]] ||
  fail "$(jq -c .findings shared.json)"

# Small kernels and programs have no more results than such files could need.
for n in {1..300}; do
  echo "SEC(\"xdp\") int p$n(void *ctx) { return 2; }"
done | compile many
kernel tiny bare <<<'int x;'
core 2 check many.o $(printf 'tiny.btf %.0s' {1..2500})
says 'bpfcore: error: 2500 kernels with some 308 results each are too many at once: give fewer kernels or programs'
