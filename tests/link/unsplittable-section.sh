#!/bin/bash
# A reference into the middle of a weak variable that lost, or outside of any variable, keeps the
# section whole, so that it still reaches the same bytes. --verbose shows the reference.
. "$(dirname "$0")/common.sh"

variant() { # ADDEND
  assemble a <<EOF
	.text
	global f, function
	r1 = .data+$1 ll
	exit
	end f
	.data
	global first, object
	.long 1
	.size first, 4
	weak lost, object
	.long 2
	.size lost, 4
	global last, object
	.long 3
	.size last, 4
EOF
}
assemble b <<'EOF'
	.data
	global lost, object
	.long 22
	.size lost, 4
EOF
differs '- refused: *' 'the peer refuses an object without BTF'

variant 8 # the start of `last`: a clean split
link a.o b.o
expect '01 00 00 00 03 00 00 00 16 00 00 00' bytes .data
contains 'f+0x0 address last' references

for addend in 6 400; do # within `lost`, outside of any variable
  variant $addend
  "$BPFLINK" -v a.o b.o -o out.o 2>log
  grep "'\.data'.*whole" log >/dev/null || fail "not said: $(<log)"
  grep 'a.o:(.text+0x0)' log >/dev/null || fail "not said why: $(<log)"
  expect '01 00 00 00 02 00 00 00 03 00 00 00 16 00 00 00' bytes .data
  expect "$(printf '18 01 00 00 %02x %02x' $((addend % 256)) $((addend / 256)))" bytes .text 0 6
  [[ $(symbol lost) == *'OBJECT GLOBAL DEFAULT .data 12 4' ]]
done
