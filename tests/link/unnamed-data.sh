#!/bin/bash
# Data without a symbol follows a weak variable that lost. The data stays, and keeps its alignment
# when it moves.
. "$(dirname "$0")/common.sh"

assemble a <<'EOF'
	.text
	global f, function
	r1 = .data+8 ll
	exit
	end f
	.data
	.p2align 3
	weak lost, object
	.long 1
	.size lost, 4
	.long 2
	.quad 3
	global last, object
	.quad 4
	.size last, 8
EOF
assemble b <<'EOF'
	.data
	global lost, object
	.long 11
	.size lost, 4
EOF
differs '- refused: *' 'the peer refuses an object without BTF'
link a.o b.o

at=$(references | sed -n 's/^f+0x0 address \.data+//p')
((at % 8 == 0)) || fail "the unnamed quad stands at $at"
expect '03 00 00 00 00 00 00 00' bytes .data $((at)) 8
expect '02 00 00 00' bytes .data $((at - 4)) 4
last=$(symbol last | cut -d' ' -f5)
expect '04 00 00 00 00 00 00 00' bytes .data "$last" 8
expect 'OBJECT GLOBAL DEFAULT .data' echo "$(symbol lost | cut -d' ' -f1-4)"
