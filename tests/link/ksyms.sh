#!/bin/bash
# .ksyms externs stay for the loader, each once: kfuncs (strong in one file, weak in
# another) and kernel variables, typed and typeless.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct task_struct;
struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym;
void bpf_task_release(struct task_struct *p) __ksym;
extern const int bpf_prog_active __ksym;
extern const void init_task __ksym;
SEC("tp_btf/task_newtask") int a(struct task_struct **ctx) {
  struct task_struct *p = bpf_task_acquire(*ctx);
  if (p) bpf_task_release(p);
  return *(int *)bpf_this_cpu_ptr(&bpf_prog_active) + (long)&init_task;
}
EOF
compile b <<'EOF'
struct task_struct;
struct task_struct *bpf_task_acquire(struct task_struct *p) __ksym __weak;
void bpf_task_release(struct task_struct *p) __ksym;
extern const void init_task __ksym __weak;
SEC("tp_btf/task_newtask") int b(struct task_struct **ctx) {
  if (bpf_task_acquire) {
    struct task_struct *p = bpf_task_acquire(*ctx);
    if (p) bpf_task_release(p);
  }
  return (long)&init_task;
}
EOF
differs '- refused: *' 'the peer asks for the size of what is declared twice in .ksyms'
link a.o b.o

expect $'bpf_prog_active\nbpf_task_acquire\nbpf_task_release\ninit_task' variables .ksyms
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol bpf_task_acquire
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol init_task
contains 'func extern struct task_struct *bpf_task_acquire(struct task_struct *);' declarations
contains 'var .ksyms extern const void init_task;' declarations
contains 'var .ksyms extern const int bpf_prog_active;' declarations
contains 'a+0x8 call bpf_task_acquire' references
contains 'b+0x0 address bpf_task_acquire' references
