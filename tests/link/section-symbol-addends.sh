#!/bin/bash
# Code and data refer to static variables through the section symbol and an addend. The addend
# changes when the link moves the variable's section, and each program still uses its own variable.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
static volatile long table[4] = {$n, 2$n, 3$n, 4$n};
static volatile char flag$n;
static const volatile int conf[2] = {5$n, 6$n};
static volatile int count;
static volatile long *volatile cursor = &table[1];
SEC("socket") int prog$n(void *ctx) {
  count += $n;
  flag$n = 7;
  table[1] += 100;
  return table[1] + table[3] + conf[1] + count + (cursor == 0); // libbpf does not relocate data
}
EOF
done
differs '- refused: *' 'the peer knows no relocation in data (R_BPF_64_ABS64)'
link --no-check-pointers f1.o f2.o

expect 'cursor@0x20+0x0 abs64 table@0x0+0x8
cursor@0x48+0x0 abs64 table@0x28+0x8
prog1+0x0 address count@0x0
prog1+0x28 address flag1
prog1+0x48 address table@0x0
prog1+0x80 address conf@0x0
prog1+0xa0 address cursor@0x20
prog2+0x0 address count@0x8
prog2+0x28 address flag2
prog2+0x48 address table@0x28
prog2+0x80 address conf@0x8
prog2+0xa0 address cursor@0x48' references
run 'prog1()=224' 'prog2()=228' 'prog1()=325' 'prog2()=330' flag1=7 flag2=7
