#!/bin/bash
# Code without a symbol, and past a .size that is too small, goes with the function that falls through
# into it, or that it falls through into.
. "$(dirname "$0")/common.sh"

llvm-mc-19 --triple=bpfel --filetype=obj -o a.o <<'END_OF_CODE'
	.text
	.globl dropped
	.type dropped,@function
dropped:
	r0 = 1
	exit
	.size dropped, .-dropped
	.globl into_unnamed
	.type into_unnamed,@function
into_unnamed:
	r0 = 2
	.size into_unnamed, .-into_unnamed
	r0 += 3
	exit
	.globl also_dropped
	.type also_dropped,@function
also_dropped:
	r0 = 4
	exit
	.size also_dropped, .-also_dropped
	r1 = 5
	.globl from_unnamed
	.type from_unnamed,@function
from_unnamed:
	r0 = r1
	exit
	.size from_unnamed, .-from_unnamed
	.globl last
	.type last,@function
last:
	r0 = 6
	.size last, .-last
	exit
	.section socket,"ax",@progbits
	.globl prog
	.type prog,@function
prog:
	call into_unnamed
	call last
	exit
	.size prog, .-prog
END_OF_CODE
"$BPFLINK" -q --verify --gc-sections a.o -o out.o
code() { llvm-objdump-19 -d --no-show-raw-insn --section=.text out.o | sed -nE 's/^ +[0-9a-f]+:\t//p'; }
expect $'r0 = 0x2\nr0 += 0x3\nexit\nr0 = 0x6\nexit' code
"$BPFLINK" -q --verify --gc-sections -u from_unnamed a.o -o out.o
expect $'r0 = 0x2\nr0 += 0x3\nexit\nr1 = 0x5\nr0 = r1\nexit\nr0 = 0x6\nexit' code
