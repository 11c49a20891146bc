#!/bin/bash
# Objects without BTF: alone, and mixed with objects that have it, functions called both
# ways, static and global, maps and variables on the side with BTF.
. "$(dirname "$0")/common.sh"

compile main <<'EOF'
unsigned helper(unsigned x);
extern int v;
unsigned calls;
__noinline unsigned back(unsigned x) { calls++; return x + 1; }
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(4) + v; }
EOF
compile lib -g0 <<'EOF'
int v = 5;
static volatile int table[2] = {10, 20};
unsigned back(unsigned x);
static __noinline unsigned inner(unsigned x) { return x + table[1]; }
unsigned helper(unsigned x) { return inner(x) + back(x) + inner(1); }
EOF
for order in "main.o lib.o" "lib.o main.o"; do
  link $order
  run 'prog()=55' calls=1
done

compile bare -g0 <main.bpf.c
link bare.o lib.o
lacks '^\.BTF' sections
run 'prog()=55'
