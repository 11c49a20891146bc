#!/bin/bash
# Objects without BTF link by symbols alone, and beside objects with BTF: calls in both directions,
# static and global functions, variables of either.
. "$(dirname "$0")/common.sh"

compile main <<'EOF'
unsigned helper(unsigned x);
extern int v;
unsigned calls;
__noinline unsigned back(unsigned x) { calls++; return x + 1; }
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(4) + v; }
EOF
compile bare -g0 <main.bpf.c
compile lib -g0 <<'EOF'
int first = 1;
int v = 5;
static volatile int table[2] = {10, 20};
unsigned back(unsigned x);
static __noinline unsigned inner(unsigned x) { return x + table[1]; }
unsigned helper(unsigned x) { return inner(x) + back(x) + inner(1); }
EOF
differs '- refused: *' 'the peer refuses an object without BTF'
reached='back+0x8 address calls
helper+0x8 call inner
helper+0x20 call back
helper+0x40 call inner
inner+0x0 address table
prog+0x8 call helper
prog+0x10 address v'
link bare.o lib.o
expect 'OBJECT GLOBAL DEFAULT .data 4 4' symbol v
expect "$reached" references
lacks '^\.BTF' sections
run 'prog()=55'

for order in 'lib.o main.o' 'main.o lib.o'; do
  link $order
  contains 'v 4 4' datasec .data
  run 'prog()=55' calls=1
done
expect "$reached" references
