#!/bin/bash
# A weak function that loses stands between two global functions of its section. The code after it
# moves up, and relative calls follow.
. "$(dirname "$0")/common.sh"

assemble a <<'EOF'
	.text
	static near, function
	r0 = r1
	exit
	end near
	weak loser, function
	r0 = 1
	r0 = 2
	r0 = 3
	exit
	end loser
	global caller, function
	r6 = r1
	.byte 0x85, 0x10, 0, 0 # call near: a relative call without a relocation
	.long -8
	r1 = r6
	.byte 0x85, 0x10, 0, 0 # call far
	.long 1
	exit
	end caller
	static far, function
	r0 = r1
	r0 += 1
	exit
	end far
EOF
object=a.o contains 'caller+0x8 call near' references
object=a.o contains 'caller+0x18 call far' references
assemble b <<'EOF'
	.text
	global loser, function
	r0 = 42
	exit
	end loser
EOF
differs '- refused: *' 'the peer refuses an object without BTF'
link a.o b.o

expect $'caller+0x8 call near\ncaller+0x18 call far' references
contains '.text SHT_PROGBITS 96 AX 4' sections
expect 'FUNC GLOBAL DEFAULT .text 80 16' symbol loser
expect 'FUNC LOCAL DEFAULT .text 56 24' symbol far
