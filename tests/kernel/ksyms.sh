#!/bin/bash
# Kernel symbols from two files: a typed per-CPU variable (where the kernel lists variables),
# a typeless function in both, a weak one that the kernel does not have.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

typed=()
if grep -q ' bpf_prog_active$' /proc/kallsyms; then typed=(-DTYPED); fi # CONFIG_KALLSYMS_ALL
compile a "${typed[@]}" <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const void schedule __ksym;
#ifdef TYPED
extern const int bpf_prog_active __ksym;
SEC("raw_tp") int per_cpu(void *ctx) { return bpf_per_cpu_ptr(&bpf_prog_active, 0) != 0; }
#endif
SEC("raw_tp") int a(void *ctx) { return (unsigned long)&schedule >> 63; }
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const void no_such_kernel_symbol __ksym __weak;
extern const void schedule __ksym;
SEC("raw_tp") int b(void *ctx) {
  return ((long)&no_such_kernel_symbol == 0) * 10 + ((unsigned long)&schedule >> 63);
}
EOF
link a.o b.o
run 'a()=1' 'b()=11' ${typed:+'per_cpu()=1'}
