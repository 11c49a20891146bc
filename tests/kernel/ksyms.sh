#!/bin/bash
# Kernel symbols from two files: a typed per-CPU variable, a typeless one, a weak one that
# the kernel does not have.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const int bpf_prog_active __ksym;
extern const void init_task __ksym;
SEC("raw_tp") int a(void *ctx) {
  const int *active = bpf_per_cpu_ptr(&bpf_prog_active, 0);
  return active && &init_task != (void *)1 ? 1 : 0;
}
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const void no_such_kernel_symbol __ksym __weak;
extern const void init_task __ksym;
SEC("raw_tp") int b(void *ctx) {
  return ((long)&no_such_kernel_symbol == 0) * 10 + ((unsigned long)&init_task >> 63);
}
EOF
link a.o b.o
run 'a()=1' 'b()=11'
