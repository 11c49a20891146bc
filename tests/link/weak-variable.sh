#!/bin/bash
# A strong variable wins over weak ones in any order. The losers leave no bytes and no hole in the
# DATASEC, and references to them reach the winner.
. "$(dirname "$0")/common.sh"

compile weak <<'EOF'
int before = 1;
__weak int limit = 10;
int after = 3;
SEC("socket") int prog(void *ctx) { return before + limit + after; }
EOF
compile strong <<<'int limit = 20;'
compile weak2 <<<'__weak int limit = 30;'

link weak.o strong.o
expect $'before 0 4\nafter 4 4\nlimit 8 4' datasec .data
expect '01 00 00 00 03 00 00 00 14 00 00 00' bytes .data
contains 'prog+0x18 address limit' references

link strong.o weak.o
expect $'limit 0 4\nbefore 4 4\nafter 8 4' datasec .data
expect '14 00 00 00 01 00 00 00 03 00 00 00' bytes .data

link weak2.o weak.o
expect 'OBJECT GLOBAL DEFAULT .data 0 4' symbol limit
"$BPFLINK" -r weak2.o weak.o -o partial.o
object=partial.o expect 'OBJECT WEAK DEFAULT .data 0 4' symbol limit
expect '1e 00 00 00 01 00 00 00 03 00 00 00' bytes .data

link weak.o weak2.o strong.o
expect 'OBJECT GLOBAL DEFAULT .data 8 4' symbol limit
