#!/bin/bash
# struct_ops variables in .struct_ops and .struct_ops.link: their function pointers refer
# to programs of sections of their own, also to one of another file.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct sock;
struct tcp_congestion_ops { __u32 (*ssthresh)(struct sock *); void (*init)(struct sock *); char name[16]; };
SEC("struct_ops/a_ssthresh") __u32 a_ssthresh(unsigned long long *ctx) { return 2; }
void b_init(unsigned long long *ctx);
SEC(".struct_ops") struct tcp_congestion_ops a_ops = {
  .ssthresh = (void *)a_ssthresh, .init = (void *)b_init, .name = "a",
};
EOF
compile b <<'EOF'
struct sock;
struct tcp_congestion_ops { __u32 (*ssthresh)(struct sock *); void (*init)(struct sock *); char name[16]; };
SEC("struct_ops/b_ssthresh") __u32 b_ssthresh(unsigned long long *ctx) { return 3; }
SEC("struct_ops/b_init") void b_init(unsigned long long *ctx) {}
SEC(".struct_ops") struct tcp_congestion_ops b_ops = { .ssthresh = (void *)b_ssthresh, .name = "b" };
SEC(".struct_ops.link") struct tcp_congestion_ops b_link = { .init = (void *)b_init, .name = "c" };
EOF
link a.o b.o

expect $'a_ops 0 32\nb_ops 32 32' datasec .struct_ops
expect 'b_link 0 32' datasec .struct_ops.link
expect $'a_ops+0x0 abs64 a_ssthresh
a_ops+0x8 abs64 b_init
b_ops+0x0 abs64 b_ssthresh
b_link+0x8 abs64 b_init' grep abs64 <(references)
expect '61 00' bytes .struct_ops 16 2
