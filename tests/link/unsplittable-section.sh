#!/bin/bash
# A reference into the middle of a weak variable that lost, or outside of any variable, keeps the
# section whole, so that it still reaches the same bytes. --verbose shows the reference.
. "$(dirname "$0")/common.sh"

variant() { # ADDEND
  cat <<EOF | llvm-mc-19 --triple=bpfel --filetype=obj -o a.o
	.text
	.globl f
	.type f,@function
f:
	r1 = .data+$1 ll
	exit
	.size f, .-f
	.data
	.globl first
	.type first,@object
first:
	.long 1
	.size first, 4
	.weak lost
	.type lost,@object
lost:
	.long 2
	.size lost, 4
	.globl last
	.type last,@object
last:
	.long 3
	.size last, 4
EOF
}
llvm-mc-19 --triple=bpfel --filetype=obj -o b.o <<'EOF'
	.data
	.globl lost
	.type lost,@object
lost:
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
