#!/bin/bash
# What --gc-sections leaves still runs: calls, callbacks, tail calls and data that move up when
# what stood before them goes.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int unused_variable = 1;
int base = 5;
__noinline unsigned unused1(unsigned x) { return x * unused_variable; }
static __noinline unsigned helper(unsigned x) { return x + base; }
__noinline unsigned unused2(unsigned x) { return unused1(x) + helper(x); }
static long visit(__u32 index, long *sum) { *sum += helper(index); return 0; }
__noinline unsigned unused3(unsigned x) { return unused2(x); }
SEC("syscall") int loop(void *ctx) { long sum = 0; bpf_loop(3, visit, &sum, 0); return sum; }
SEC("socket") int target(struct __sk_buff *ctx) { return helper(100); }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __uint(key_size, 4);
  __array(values, int (struct __sk_buff *));
} jumps SEC(".maps") = { .values = { target } };
SEC("socket") int jump(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 0); return 0; }
EOF
"$BPFLINK" --gc-sections a.o -o out.o
python3 "$bpfobj" check out.o
lacks 'unused' symbols
run 'loop()=18' 'jump()=105'
