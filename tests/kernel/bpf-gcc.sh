#!/bin/bash
# A library compiled by bpf-gcc under a program compiled by clang. gcc's BTF shows externs as
# global variables of .bss and all functions as static; the linker knows better.
. "$(dirname "$0")/common.sh"
command -v bpf-gcc >/dev/null || skip 'bpf-gcc is not installed'

cat >lib.c <<'EOF'
typedef unsigned int u32;
extern u32 calls;
u32 base = 7;
static u32 table[4] = {1, 2, 3, 4};
u32 outside(u32 x);
static u32 __attribute__((noinline)) inner(u32 x) { return x + table[x & 3]; }
u32 helper(u32 x) { calls++; table[0]++; return inner(x) + outside(x) + base; }
EOF
bpf-gcc -gbtf -O2 -c lib.c -o lib.o
compile main <<'EOF'
__u32 helper(__u32 x);
__u32 calls = 1;
__noinline __u32 outside(__u32 x) { return x * 100; }
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(2) + calls; }
EOF
for order in "main.o lib.o" "lib.o main.o"; do
  link $order
  run 'prog()=214' calls=2 base=7
done
