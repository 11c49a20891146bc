#!/bin/bash
# Kernel variables of .ksyms, typed and typeless, strong in one file and weak in another, stay for
# the loader, each once.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const void schedule __ksym;
SEC("raw_tp") int a(void *ctx) { return (unsigned long)&schedule >> 63; }
EOF
compile b <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const void no_such_kernel_symbol __ksym __weak;
extern const void schedule __ksym __weak;
SEC("raw_tp") int b(void *ctx) {
  return ((long)&no_such_kernel_symbol == 0) * 10 + ((unsigned long)&schedule >> 63);
}
EOF
compile typed <<'EOF'
char LICENSE[] SEC("license") = "GPL";
extern const int bpf_prog_active __ksym;
SEC("raw_tp") int per_cpu(void *ctx) { return bpf_per_cpu_ptr(&bpf_prog_active, 0) != 0; }
EOF
differs '- refused: *' 'the peer asks for the size of what is declared twice in .ksyms'

link a.o b.o
if kernel_has; then run 'a()=1' 'b()=11'; fi

link a.o b.o typed.o
expect $'bpf_prog_active\nno_such_kernel_symbol\nschedule' variables .ksyms
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol schedule
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol no_such_kernel_symbol
contains 'var .ksyms extern const void schedule;' declarations
contains 'var .ksyms extern const int bpf_prog_active;' declarations
if kernel_has bpf_prog_active; then run 'a()=1' 'b()=11' 'per_cpu()=1'; fi
