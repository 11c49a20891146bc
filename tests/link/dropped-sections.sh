#!/bin/bash
# The output has no DWARF, no .llvm_addrsig, no relocations of these or of .BTF, and no .text
# without code.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int a(void *ctx) { return 1; }'
compile b <<<'SEC("socket") int b(void *ctx) { return 2; }'
object=a.o contains '.text SHT_PROGBITS 0 AX 4' sections
link a.o b.o

lacks '^\.debug|^\.rel\.debug|^\.llvm_addrsig|^\.rel\.BTF|^\.text |^\.eh_frame|^\.comment' sections
contains 'socket SHT_PROGBITS 32 AX 8' sections
