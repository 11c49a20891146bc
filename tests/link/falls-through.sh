#!/bin/bash
# Code without a symbol, and past a .size that is too small, goes with the function that falls through
# into it, or that it falls through into.
. "$(dirname "$0")/common.sh"

assemble a <<'END_OF_CODE'
	.text
	global dropped, function
	r0 = 1
	exit
	end dropped
	global into_unnamed, function
	r0 = 2
	end into_unnamed
	r0 += 3
	exit
	global also_dropped, function
	r0 = 4
	exit
	end also_dropped
	r1 = 5
	global from_unnamed, function
	r0 = r1
	exit
	end from_unnamed
	global last, function
	r0 = 6
	end last
	exit
	.section socket,"ax",@progbits
	global prog, function
	call into_unnamed
	call last
	exit
	end prog
END_OF_CODE
"$BPFLINK" -q --verify --gc-sections a.o -o out.o
code() { llvm-objdump-19 -d --no-show-raw-insn --section=.text out.o | sed -nE 's/^ +[0-9a-f]+:\t//p'; }
expect $'r0 = 0x2\nr0 += 0x3\nexit\nr0 = 0x6\nexit' code
"$BPFLINK" -q --verify --gc-sections -u from_unnamed a.o -o out.o
expect $'r0 = 0x2\nr0 += 0x3\nexit\nr1 = 0x5\nr0 = r1\nexit\nr0 = 0x6\nexit' code
