#!/bin/bash
# Two symbols name one function, and the weak one loses to another file's definition. The function
# stays for its other name, and a call by either name reaches the right function.
. "$(dirname "$0")/common.sh"

cat >a.s <<'EOF'
	.text
	.globl real
	.type real,@function
real:
	r0 = r1
	r0 += 1
	exit
	.size real, .-real
	.weak other
	.type other,@function
	.set other, real
	.globl caller
	.type caller,@function
caller:
	call real
	r1 = r0
	call other
	exit
	.size caller, .-caller
EOF
cat >b.s <<'EOF'
	.text
	.globl other
	.type other,@function
other:
	r0 = 5
	exit
	.size other, .-other
EOF
for n in a b; do "$CC" --target=bpf -mcpu=v3 -c $n.s -o $n.o; done
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
