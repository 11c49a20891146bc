#!/bin/bash
# Two symbols name one function, and the weak one loses to another file's definition. The function
# stays for its other name, and a call by either name reaches the right function.
. "$(dirname "$0")/common.sh"

assemble a <<'EOF'
	.text
	global real, function
	r0 = r1
	r0 += 1
	exit
	end real
	.weak other
	.type other,@function
	.set other, real
	global caller, function
	call real
	r1 = r0
	call other
	exit
	end caller
EOF
assemble b <<'EOF'
	.text
	global other, function
	r0 = 5
	exit
	end other
EOF
differs '- refused: *' 'the peer refuses an object without BTF'

link a.o
expect 'FUNC GLOBAL DEFAULT .text 0 24' symbol real
expect 'FUNC WEAK DEFAULT .text 0 24' symbol other

link a.o b.o
expect 'FUNC GLOBAL DEFAULT .text 0 24' symbol real
expect 'FUNC GLOBAL DEFAULT .text 56 16' symbol other
expect $'caller+0x0 call real\ncaller+0x10 call other' references

link b.o a.o
expect 'FUNC GLOBAL DEFAULT .text 16 24' symbol real
expect 'FUNC GLOBAL DEFAULT .text 0 16' symbol other
expect $'caller+0x0 call real\ncaller+0x10 call other' references
