#!/bin/bash
# Objects without BTF link by their symbols alone, and beside objects with BTF.
. "$(dirname "$0")/common.sh"

compile a -g0 <<'EOF'
unsigned helper(unsigned x);
extern int v;
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(4) + v; }
EOF
compile b -g0 <<'EOF'
int first = 1;
int v = 5;
static __noinline unsigned inner(unsigned x) { return x / 3; }
__noinline unsigned helper(unsigned x) { return inner(x) + v; }
EOF
differs '- refused: *' 'the peer refuses an object without BTF'
link a.o b.o
expect 'OBJECT GLOBAL DEFAULT .data 4 4' symbol v
expect $'helper+0x0 call inner\nhelper+0x8 address v\nprog+0x8 call helper\nprog+0x10 address v' references
lacks '^\.BTF' sections

compile with <a.bpf.c
link with.o b.o
expect $'helper+0x0 call inner\nhelper+0x8 address v\nprog+0x8 call helper\nprog+0x10 address v' references
contains 'v 4 4' datasec .data
