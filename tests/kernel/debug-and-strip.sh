#!/bin/bash
# An object with DWARF and an object without anything that loaders do not need both load.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static volatile int table[2] = {7, 8};
unsigned helper(unsigned x);
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(1) + table[1]; }
EOF
compile b <<'EOF'
static volatile int table[2] = {1, 2};
static __noinline unsigned inner(unsigned x) { return x + table[1]; }
__noinline unsigned helper(unsigned x) { return inner(x) * 10; }
EOF
for option in --keep-debug --strip-all --discard-all; do
  "$BPFLINK" $option a.o b.o -o out.o
  python3 "$bpfobj" check out.o
  run 'prog()=38'
done
