#!/bin/bash
# A program that clang compiled, with a library that bpf-gcc compiled. bpf-gcc's BTF shows externs
# as global variables of .bss and all functions as static. The output follows the symbols: externs
# are resolved, functions are global.
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
varies '- refused: *' 'the peer takes no objects of bpf-gcc before gcc 14'

link lib.o main.o
run 'prog()=214' calls=2 base=7
link main.o lib.o
expect $'calls 0 4\ntable 4 16\nbase 20 4' datasec .data
expect '' datasec .bss
contains 'func global u32 helper(u32 x);' declarations
contains 'func static u32 inner(u32 x);' declarations
contains 'func global __u32 outside(__u32 x);' declarations
lacks '\.comment' sections
run 'prog()=214' calls=2 base=7

# An extern that stays undefined has no entry in .bss.
link -r lib.o
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol calls
expect $'table 0 16\nbase 16 4' datasec .data
contains 'var - extern u32 calls;' declarations
