#!/bin/bash
# Static functions and variables with one name in two files stay separate, and each file uses its own, whatever
# type they have, also beside global ones of that name, which a last file uses.
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

compile types <<'EOF'
static volatile long state = 1L << 33 | 20;
static __noinline int step(long *x) { return *x + state; }
SEC("socket") int prog3(void *ctx) { long one = 1; return step(&one); }
EOF
compile global <<<'int step(int x) { return x + 100; } int state = 1000;'
compile user <<<'int step(int x); extern int state; SEC("socket") int prog4(void *ctx) { return step(2) + state; }'
for order in 'file1.o types.o user.o global.o' 'user.o global.o types.o file1.o'; do
  link $order
  run 'prog1()=51' 'prog3()=21' 'prog4()=1102'
  expect 3 eval "symbols | grep -c '^state '"
done
