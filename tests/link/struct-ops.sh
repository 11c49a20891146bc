#!/bin/bash
# struct_ops variables in .struct_ops and .struct_ops.link: their function pointers refer to
# programs in sections of their own, one of them in another file. libbpf finds the kernel's type for
# these TCP congestion controls, and the verifier accepts their programs. The test loads them and
# never registers them.
. "$(dirname "$0")/common.sh"

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
SEC(".struct_ops") struct tcp_congestion_ops a_ops = {
  .ssthresh = (void *)a_ssthresh, .cong_avoid = (void *)b_avoid, .undo_cwnd = (void *)b_undo, .name = "a",
};
EOF
compile b -I. <<'EOF'
#include "ops.h"
SEC("struct_ops/b_ssthresh") __u32 b_ssthresh(unsigned long long *ctx) { return 3; }
SEC("struct_ops/b_other") __u32 b_undo(unsigned long long *ctx) { return 3; }
SEC("struct_ops/b_avoid") void b_avoid(unsigned long long *ctx) {}
SEC(".struct_ops") struct tcp_congestion_ops b_ops = { .ssthresh = (void *)b_ssthresh, .name = "b" };
SEC(".struct_ops.link") struct tcp_congestion_ops b_link = { .cong_avoid = (void *)b_avoid, .name = "c" };
EOF
link a.o b.o

expect $'a_ops 0 40\nb_ops 40 40' datasec .struct_ops
expect 'b_link 0 40' datasec .struct_ops.link
expect $'a_ops+0x0 abs64 a_ssthresh
a_ops+0x8 abs64 b_avoid
a_ops+0x10 abs64 b_undo
b_ops+0x0 abs64 b_ssthresh
b_link+0x8 abs64 b_avoid' grep abs64 <(references)
expect '61 00' bytes .struct_ops 24 2
if kernel_has; then run; fi
