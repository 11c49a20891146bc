#!/bin/bash
# -x drops local symbols that nothing needs: labels, file names, static variables. Functions and
# section symbols stay for loaders. -s means -x and -S.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static volatile int state = 1;
static __noinline unsigned helper(unsigned x) { return x / state; }
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->mark + 5); }
EOF
link a.o
expect $'helper\nprog\nstate' eval 'symbols | cut -d" " -f1 | sort'
llvm-readelf-19 -sW out.o | grep 'FILE .* a.bpf.c' >/dev/null
for option in -x -s --discard-all --strip-all; do
  "$BPFLINK" $option a.o -o out.o
  python3 "$bpfobj" check out.o
  expect $'helper\nprog' eval 'symbols | cut -d" " -f1 | sort'
  lacks ' FILE ' llvm-readelf-19 -sW out.o
  contains 'prog+0x10 call helper' references
  expect 'state 0 4' datasec .data
  run 'prog()=5'
done
