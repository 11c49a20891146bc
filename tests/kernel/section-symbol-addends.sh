#!/bin/bash
# Static variables behind section symbols and addends, in two files: each program reads
# and writes its own.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
static volatile long table[4] = {$n, 2$n, 3$n, 4$n};
static volatile char flag$n;
static const volatile int conf[2] = {5$n, 6$n};
static volatile int count;
SEC("socket") int prog$n(void *ctx) {
  count += $n;
  flag$n = 7;
  table[1] += 100;
  return table[1] + table[3] + conf[1] + count;
}
EOF
done
link f1.o f2.o
run 'prog1()=224' 'prog2()=228' 'prog1()=325' 'prog2()=330' flag1=7 flag2=7
