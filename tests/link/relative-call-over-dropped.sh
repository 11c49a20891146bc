#!/bin/bash
# A weak function that loses stands between two global functions of its section. The code after it
# moves up, and relative calls follow.
. "$(dirname "$0")/common.sh"

cat >a.s <<'EOF'
	.text
	.type near,@function
near:
	r0 = r1
	exit
	.size near, .-near
	.weak loser
	.type loser,@function
loser:
	r0 = 1
	r0 = 2
	r0 = 3
	exit
	.size loser, .-loser
	.globl caller
	.type caller,@function
caller:
	r6 = r1
	.byte 0x85, 0x10, 0, 0 # call near: a relative call without a relocation
	.long -8
	r1 = r6
	.byte 0x85, 0x10, 0, 0 # call far
	.long 1
	exit
	.size caller, .-caller
	.type far,@function
far:
	r0 = r1
	r0 += 1
	exit
	.size far, .-far
EOF
"$CC" --target=bpf -mcpu=v3 -c a.s -o a.o
object=a.o contains 'caller+0x8 call near' references
object=a.o contains 'caller+0x18 call far' references
cat >b.s <<'EOF'
	.text
	.globl loser
	.type loser,@function
loser:
	r0 = 42
	exit
	.size loser, .-loser
EOF
"$CC" --target=bpf -mcpu=v3 -c b.s -o b.o
differs '- refused: *' 'the peer refuses an object without BTF'
link a.o b.o

expect $'caller+0x8 call near\ncaller+0x18 call far' references
contains '.text SHT_PROGBITS 96 AX 4' sections
expect 'FUNC GLOBAL DEFAULT .text 80 16' symbol loser
expect 'FUNC LOCAL DEFAULT .text 56 24' symbol far
