#!/bin/bash
# A prog array whose .values name programs of this and another file: tail calls reach them.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int remote(struct __sk_buff *ctx);
SEC("socket") int local(struct __sk_buff *ctx) { return 10; }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 4);
  __uint(key_size, sizeof(int));
  __array(values, int (struct __sk_buff *));
} jumps SEC(".maps") = { .values = { [0] = local, [2] = remote } };
SEC("socket") int to_local(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 0); return 0; }
SEC("socket") int to_remote(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 2); return 0; }
SEC("socket") int to_nothing(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 3); return 5; }
EOF
compile b <<'EOF'
SEC("socket") int in_front(struct __sk_buff *ctx) { return 20; }
SEC("socket") int remote(struct __sk_buff *ctx) { return 30; }
EOF
link a.o b.o
run 'to_local()=10' 'to_remote()=30' 'to_nothing()=5' 'in_front()=20'
