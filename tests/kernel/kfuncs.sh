#!/bin/bash
# Kernel functions called from two files, strong in one and weak in the other, and a weak
# one that the kernel does not have.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'
grep -q ' bpf_cpumask_create$' /proc/kallsyms || skip 'the kernel has no bpf_cpumask_create()'

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct bpf_cpumask {};
struct cpumask {};
struct bpf_cpumask *bpf_cpumask_create(void) __ksym;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym;
void bpf_cpumask_set_cpu(__u32 cpu, struct bpf_cpumask *mask) __ksym;
__u32 bpf_cpumask_first(const struct cpumask *mask) __ksym;
SEC("syscall") int a(void *ctx) {
  struct bpf_cpumask *mask = bpf_cpumask_create();
  if (!mask) return -1;
  bpf_cpumask_set_cpu(1, mask);
  int first = bpf_cpumask_first((const struct cpumask *)mask);
  bpf_cpumask_release(mask);
  return first;
}
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct bpf_cpumask {};
struct bpf_cpumask *bpf_cpumask_create(void) __ksym __weak;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym __weak;
void no_such_kfunc(void) __ksym __weak;
SEC("syscall") int b(void *ctx) {
  struct bpf_cpumask *mask = bpf_cpumask_create();
  if (mask) bpf_cpumask_release(mask);
  if (no_such_kfunc) return 1;
  return mask ? 2 : 3;
}
EOF
link a.o
run 'a()=1'
link a.o b.o
run 'a()=1' 'b()=2'
