#!/bin/bash
# .jumptables, which newer compilers emit for switches: each table follows its program. Its entries
# are addends to the code's section symbol and move with the code.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  cat >f$n.s <<EOF
	.section socket,"ax",@progbits
	.globl prog$n
	.type prog$n,@function
	.p2align 3
prog$n:
	r1 = BPF.JT.0.$n ll
	r0 = *(u64 *)(r1 + 0)
	exit
.Lone:
	r0 = 1
	exit
.Ltwo:
	r0 = 2
	exit
	.size prog$n, .-prog$n
	.section .jumptables,"",@progbits
BPF.JT.0.$n:
	.quad .Lone
	.quad .Ltwo
	.size BPF.JT.0.$n, 16
	.type BPF.JT.0.$n,@object
EOF
  llvm-mc-19 --triple=bpfel --filetype=obj f$n.s -o f$n.o
done
differs '- refused: *' 'the peer refuses an object without BTF'
link f1.o f2.o

contains 'BPF.JT.0.2 OBJECT LOCAL DEFAULT .jumptables 16 16' symbols
expect 'BPF.JT.0.1+0x0 abs64 prog1+0x20
BPF.JT.0.1+0x8 abs64 prog1+0x30
BPF.JT.0.2+0x0 abs64 prog2+0x20
BPF.JT.0.2+0x8 abs64 prog2+0x30
prog1+0x0 address BPF.JT.0.1
prog2+0x0 address BPF.JT.0.2' references
