#!/bin/bash
# .bss and sections such as .data.hot, .rodata.conf and .bss.cold merge by name.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
int zero$n;
int hot$n SEC(".data.hot") = $n;
const volatile int conf$n SEC(".rodata.conf") = 10 * $n;
int cold$n SEC(".bss.cold");
SEC("socket") int prog$n(void *ctx) { return zero$n + hot$n + conf$n + cold$n; }
EOF
done
link f1.o f2.o

contains '.bss SHT_NOBITS 8 AW 4' sections
contains '.bss.cold SHT_NOBITS 8 AW 4' sections
expect $'zero1 0 4\nzero2 4 4' datasec .bss
expect $'hot1 0 4\nhot2 4 4' datasec .data.hot
expect $'conf1 0 4\nconf2 4 4' datasec .rodata.conf
expect $'cold1 0 4\ncold2 4 4' datasec .bss.cold
expect '01 00 00 00 02 00 00 00' bytes .data.hot
expect '0a 00 00 00 14 00 00 00' bytes .rodata.conf
contains 'prog2+0x0 address zero2' references
