#!/bin/bash
# Merged sections keep each input's alignment: padding separates a char of the first file from a
# long of the second.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char small = 1;
const volatile char letter = 'x';
SEC("socket") int prog(void *ctx) { return small + letter; }
EOF
compile b <<'EOF'
long large = 2;
char tail = 3;
const volatile long number = 9;
EOF
compile c <<<'struct { char bytes[3]; } __attribute__((aligned(32))) wide = {{7, 8, 9}};'
link a.o b.o c.o

expect $'small 0 1\nlarge 8 8\ntail 16 1\nwide 32 32' datasec .data
contains '.data SHT_PROGBITS 64 AW 32' sections
expect '01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 03' bytes .data 0 17
expect '07 08 09' bytes .data 32 3
expect $'letter 0 1\nnumber 8 8' datasec .rodata
contains '.rodata SHT_PROGBITS 16 A 8' sections
