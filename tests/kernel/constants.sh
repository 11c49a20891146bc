#!/bin/bash
# Constants with and without a name, from two files, at run time.
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
link f1.o f2.o
run 'prog1()=160' 'prog2()=162'
link f2.o f1.o
run 'prog1()=161' 'prog2()=163'
