#!/bin/bash
# DWARF, .llvm_addrsig, relocations of both and of .BTF, and a .text without code are
# no part of the output.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
SEC("socket") int a(void *ctx) { return 1; }
EOF
compile b <<'EOF'
SEC("socket") int b(void *ctx) { return 2; }
EOF
object=a.o contains '.text SHT_PROGBITS 0 AX 4' sections
link a.o b.o

lacks '^\.debug|^\.rel\.debug|^\.llvm_addrsig|^\.rel\.BTF|^\.text |^\.eh_frame|^\.comment' sections
contains 'socket SHT_PROGBITS 32 AX 8' sections
