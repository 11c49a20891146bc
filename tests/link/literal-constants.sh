#!/bin/bash
# Initializers of local arrays have no symbols; clang puts them into .rodata or .rodata.cst32,
# beside named constants. Section symbol and addend still reach them.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
__weak const volatile int first_wins = 5$n;
const volatile int named$n = 7;
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  int unnamed[8] = {1$n, 2, 3, 4, 5, 6, 7, 8};
  static const int local[8] = {9$n, 1, 2, 3, 4, 5, 6, 7};
  return unnamed[ctx->mark & 7] + local[ctx->mark & 7] + named$n + first_wins;
}
EOF
done
link f2.o f1.o
run 'prog1()=161' 'prog2()=163'
link f1.o f2.o
run 'prog1()=160' 'prog2()=162'

expect '0b 00 00 00 02' bytes .rodata.cst32 0 5
expect '5b 00 00 00 01' bytes .rodata.cst32 32 5
expect '0c 00 00 00 02' bytes .rodata.cst32 64 5
expect '5c 00 00 00 01' bytes .rodata.cst32 96 5
contains 'prog1+0x18 address prog1.local' references
contains 'prog1+0x30 address .rodata.cst32+0x0' references
contains 'prog2+0x18 address prog2.local' references
contains 'prog2+0x30 address .rodata.cst32+0x40' references
expect $'prog1.local 32 32\nprog2.local 96 32' datasec .rodata.cst32
