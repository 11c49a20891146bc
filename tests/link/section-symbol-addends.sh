#!/bin/bash
# Static variables are reached through their section's symbol and an addend, in code
# and in data. The addend must move with the variable when its section does.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static volatile int pad[3] = {1, 2, 3};
SEC("socket") int first(void *ctx) { return pad[2]; }
EOF
compile b <<'EOF'
static volatile int table[4] = {10, 11, 12, 13};
static volatile int *volatile cursor = &table[1];
SEC("socket") int second(void *ctx) { return table[3] + *cursor; }
EOF
differs '- refused: *' 'the peer knows no relocation in data (R_BPF_64_ABS64)'
link a.o b.o

contains 'first+0x0 address pad' references
contains 'second+0x0 address table' references
contains 'second+0x18 address cursor' references
contains 'cursor+0x0 abs64 table+0x4' references
expect 'OBJECT LOCAL DEFAULT .data 16 16' symbol table
