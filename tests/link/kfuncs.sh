#!/bin/bash
# Two files call kernel functions, strong in one and weak in the other, and a weak one that the
# kernel lacks, and use a kernel variable. Each stays for the loader, once.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct bpf_cpumask {};
struct cpumask {};
struct bpf_cpumask *bpf_cpumask_create(void) __ksym;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym;
void bpf_cpumask_set_cpu(__u32 cpu, struct bpf_cpumask *mask) __ksym;
__u32 bpf_cpumask_first(const struct cpumask *mask) __ksym;
extern const void schedule __ksym;
SEC("syscall") int a(void *ctx) {
  struct bpf_cpumask *mask = bpf_cpumask_create();
  if (!mask) return -1;
  bpf_cpumask_set_cpu(1, mask);
  int first = bpf_cpumask_first((const struct cpumask *)mask);
  bpf_cpumask_release(mask);
  return first * ((unsigned long)&schedule >> 63);
}
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct bpf_cpumask {};
struct bpf_cpumask *bpf_cpumask_create(void) __ksym __weak;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym __weak;
void no_such_kfunc(void) __ksym __weak;
SEC("syscall") int b(void *ctx) {
  if (!bpf_cpumask_create) return 4;
  struct bpf_cpumask *mask = bpf_cpumask_create();
  if (mask) bpf_cpumask_release(mask);
  if (no_such_kfunc) return 1;
  return mask ? 2 : 3;
}
EOF
differs '- refused: *' 'the peer asks for the size of what is declared twice in .ksyms' 1.6
link a.o
if kernel_has bpf_cpumask_create; then run 'a()=1'; fi

link a.o b.o
expect $'bpf_cpumask_create\nbpf_cpumask_first\nbpf_cpumask_release\nbpf_cpumask_set_cpu\nno_such_kfunc\nschedule' \
  variables .ksyms
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol bpf_cpumask_create
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol no_such_kfunc
contains 'func extern struct bpf_cpumask *bpf_cpumask_create(void);' declarations
contains 'a+0x0 call bpf_cpumask_create' references
contains 'b+0x8 address bpf_cpumask_create' references
if kernel_has bpf_cpumask_create; then run 'a()=1' 'b()=2'; fi
