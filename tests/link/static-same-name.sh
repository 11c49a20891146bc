#!/bin/bash
# Static functions and variables with one name in two files stay separate, and each file uses its
# own.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile file$n <<EOF
static volatile int state = $n;
static __noinline int step(int x) { return x + state; }
SEC("socket") int prog$n(struct __sk_buff *ctx) { return step(ctx->len); }
EOF
done
link file1.o file2.o

expect $'state 0 4\nstate 4 4' datasec .data
expect '01 00 00 00 02 00 00 00' bytes .data
expect $'OBJECT LOCAL DEFAULT .data 0 4\nOBJECT LOCAL DEFAULT .data 4 4' symbol state
expect $'FUNC LOCAL DEFAULT .text 0 40\nFUNC LOCAL DEFAULT .text 40 40' symbol step
expect $'.text 0 step\n.text 40 step\nsocket 0 prog1\nsocket 24 prog2' func_info
contains 'prog1+0x8 call step@0x0' references
contains 'prog2+0x8 call step@0x28' references
contains 'step@0x0+0x0 address state@0x0' references
contains 'step@0x28+0x0 address state@0x4' references
