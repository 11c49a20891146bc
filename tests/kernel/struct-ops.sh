#!/bin/bash
# A TCP congestion control with functions of two files: libbpf matches it with the kernel's
# type and the verifier takes its programs. It is loaded, never registered.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

cat >ops.h <<'EOF'
struct sock;
struct tcp_congestion_ops {
  __u32 (*ssthresh)(struct sock *);
  void (*cong_avoid)(struct sock *, __u32, __u32);
  __u32 (*undo_cwnd)(struct sock *);
  char name[16];
};
EOF
compile a -I. <<'EOF'
#include "ops.h"
char LICENSE[] SEC("license") = "GPL";
SEC("struct_ops/a_ssthresh") __u32 a_ssthresh(unsigned long long *ctx) { return 2; }
void b_avoid(unsigned long long *ctx);
__u32 b_undo(unsigned long long *ctx);
SEC(".struct_ops") struct tcp_congestion_ops linked = {
  .ssthresh = (void *)a_ssthresh, .cong_avoid = (void *)b_avoid, .undo_cwnd = (void *)b_undo, .name = "bpflink",
};
EOF
compile b <<'EOF'
SEC("struct_ops/b_other") __u32 b_undo(unsigned long long *ctx) { return 3; }
SEC("struct_ops/b_avoid") void b_avoid(unsigned long long *ctx) {}
EOF
link a.o b.o
run
