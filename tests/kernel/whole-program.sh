#!/bin/bash
# A function that takes a pointer, in another file than its caller: the kernel refuses the files as
# objects, and loads them as bitcode.
. "$(dirname "$0")/common.sh"
[[ -r /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no types'

compile a -flto <<'END'
struct task_struct { int pid; struct task_struct *real_parent; } __attribute__((preserve_access_index));
int parent_pid(struct task_struct *t, int depth);
char LICENSE[] SEC("license") = "GPL";
SEC("raw_tp/sched_switch") int prog(void *ctx) { return parent_pid(bpf_get_current_task_btf(), 3) == 7; }
END
compile b -flto <<'END'
struct task_struct { int pid; struct task_struct *real_parent; } __attribute__((preserve_access_index));
int parent_pid(struct task_struct *t, int depth)
{
  for (int i = 0; i < 4 && i < depth; ++i)
    t = t->real_parent;
  return t->pid;
}
END
for name in a b; do
  mv $name.o $name.bc
  compile ${name}_alone <$name.bpf.c
done
if ! "$BPFLINK" -q --lto-internalize a.bc b.bc -o whole.o 2>errors; then
  grep -q 'no library of LLVM' errors && skip "$(<errors)"
  fail "$(<errors)"
fi
llvm-objdump-19 -dr whole.o >text
! grep -q 'parent_pid' text || fail "not inlined: $(<text)"
[[ $(grep -c 'CO-RE.*task_struct::real_parent' text) == 3 ]] || fail "not three steps: $(grep CO-RE text)"
"$BPFLINK" -q a_alone.o b_alone.o -o parts.o
if "$BPF_RUN" parts.o &>ran; then fail 'the kernel takes the objects: this shows nothing'; fi
grep -q 'does not load' ran || run_object parts.o
run_object whole.o
