#!/bin/bash
# Tables about code, as LLVM 22 and exceptions make them: jump tables without relocations, of which
# each file has its own BPF.JT.0.0; .bpf_cleanup, .eh_frame, .gcc_except_table. Their entries move
# with the code and are dropped with it.
. "$(dirname "$0")/common.sh"

# gotox R: jumps to the address in register R; clang-19 has no such instruction.
gotox() { echo ".byte 0x0d, 0x0$1, 0, 0, 0, 0, 0, 0"; }

# assemble N TARGET: fN.o with a weak function `lost`, `pickN`, `unused`, each with its entries
assemble() {
  cat >"f$1.s" <<EOF
	.text
	.cfi_sections .eh_frame
	.weak lost
	.type lost,@function
lost:
	.cfi_startproc
	.cfi_lsda 0, .Llost_actions
	r1 = BPF.JT.0.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	r0 = $1
	exit
	.cfi_endproc
	.size lost, .-lost
	.globl pick$1
	.type pick$1,@function
pick$1:
	.cfi_startproc
	.cfi_lsda 0, .Lpick_actions
	r1 = BPF.JT.1.0 ll
	r1 = *(u64 *)(r1 + 8)
	$(gotox 1)
	r0 = 1
	exit
	r0 = 2
	exit
	.cfi_endproc
	.size pick$1, .-pick$1
	.type unused,@function
unused:
	.cfi_startproc
	.cfi_lsda 0, .Lpick_actions
	r1 = BPF.JT.2.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	.cfi_endproc
	.size unused, .-unused
	.section socket,"ax",@progbits
	.globl prog$1
	.type prog$1,@function
prog$1:
	call lost
	call pick$1
	r1 = BPF.JT.3.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	r0 = 3
	exit
	.size prog$1, .-prog$1
	.section .jumptables,"",@progbits
	.globl BPF.JT.0.0, BPF.JT.1.0, BPF.JT.2.0, BPF.JT.3.0
	.type BPF.JT.0.0,@object
	.type BPF.JT.1.0,@object
	.type BPF.JT.2.0,@object
	.type BPF.JT.3.0,@object
BPF.JT.0.0:
	.quad 32
	.size BPF.JT.0.0, 8
BPF.JT.1.0:
	.quad 80, 96, 80
	.size BPF.JT.1.0, 24
BPF.JT.2.0:
	.quad 112
	.size BPF.JT.2.0, 8
BPF.JT.3.0:
	.quad 48
	.size BPF.JT.3.0, 8
	.section .bpf_cleanup,"a",@progbits
	.long .text, .text+16, .text+32
	.long .text+48, .text+72, .text+80
	.long .text+112, .text+128, .text+128
	.long socket, socket+8, socket+48
	.section .gcc_except_table,"a",@progbits
.Llost_actions:
	.byte 255, 0x0$1
.Lpick_actions:
	.byte 255, 255, 0xb$1
EOF
  llvm-mc-19 "--triple=$2" --filetype=obj "f$1.s" -o "f$1.o"
}

# words SIZE SECTION: the section's words of SIZE bytes, in hexadecimal
words() {
  llvm-objcopy-19 --dump-section="$2=bytes" out.o /dev/null
  python3 - "$1" <<'EOF'
import sys
size, data = int(sys.argv[1]), open("bytes", "rb").read()
order = "big" if open("out.o", "rb").read(6)[5] == 2 else "little"
print(*(f"{int.from_bytes(data[i:i + size], order):x}" for i in range(0, len(data), size)))
EOF
}
frames() { llvm-dwarfdump-19 --eh-frame out.o | sed -n -E 's/.* FDE cie=.* pc=0*(.+)\.\.\.0*(.+)/FDE \1 \2/p; s/ *LSDA Address: 0*(.+)/  actions \1/p'; }

for target in bpfel bpfeb; do
  assemble 1 $target
  assemble 2 $target

  # All of f1, then f2 without `lost`: its `pick` moves from 0x30 to 0x90.
  differs '- refused: *' 'the peer refuses an object without BTF'
  link f1.o f2.o
  expect '20 50 60 50 70 30 b0 c0 b0 d0 70' words 8 .jumptables
  expect '0 10 20 30 48 50 70 80 80 0 8 30 90 a8 b0 d0 e0 e0 40 48 70' words 4 .bpf_cleanup
  expect 'ff 1 ff ff b1 ff ff b2' words 1 .gcc_except_table
  expect 'FDE 0 30
  actions 0
FDE 30 70
  actions 2
FDE 70 90
  actions 2
FDE 90 d0
  actions 5
FDE d0 f0
  actions 5' frames
  contains 'BPF.JT.0.0 OBJECT LOCAL DEFAULT .jumptables 0 8' symbols
  contains 'BPF.JT.1.0 OBJECT LOCAL DEFAULT .jumptables 48 24' symbols

  # Unreachable code is dropped with its entries, and the list shows them.
  "$BPFLINK" --gc-sections --print-gc-sections f2.o f1.o -o out.o 2>dropped
  expect '20 50 60 50 30 90 a0 90 70' words 8 .jumptables
  expect '0 10 20 30 48 50 0 8 30 70 88 90 40 48 70' words 4 .bpf_cleanup
  expect 'ff 2 ff ff b2 ff ff b1' words 1 .gcc_except_table
  expect 'FDE 0 30
  actions 0
FDE 30 70
  actions 2
FDE 70 b0
  actions 5' frames
  expect "bpflink: removing unused f1.o:(.text+0x70) unused
bpflink: removing unused f1.o:(.jumptables+0x20) BPF.JT.2.0
bpflink: removing unused f1.o:(.bpf_cleanup+0x18)" eval 'grep -E "f1.o:.*(unused$|BPF.JT.2|cleanup\+0x18)" dropped'
  changes_nothing

  # A table whose entries have relocations, and a table whose symbol was stripped.
  sed 's/\.quad 80, 96, 80/.quad .text+80, 96, .text+80/; s/BPF.JT.3.0 ll/.jumptables + 40 ll/
    s/^	r1 = .jumptables/	r1 = .jumptables/' f2.s >old.s
  llvm-mc-19 --triple=$target --filetype=obj old.s -o old.o
  "$BPFLINK" f1.o old.o -o out.o
  expect '20 50 60 50 70 30 b0 c0 b0 d0 70' words 8 .jumptables
done

# Invalid tables
sed 's/\.quad 112/.quad 144/' f1.s >beyond.s
sed 's/r1 = BPF.JT.3.0 ll/r1 = BPF.JT.1.0 ll/' f1.s >shared.s
sed 's/\.quad 112/.quad 32/' f2.s >lost.s
for name in beyond shared lost; do llvm-mc-19 --triple=bpfel --filetype=obj $name.s -o $name.o; done
assemble 1 bpfel
refused "beyond.o:(.jumptables+0x20): the jump table leads to '.text'+0x90, which is outside of the section" -q beyond.o
refused 'shared.o:(.jumptables+0x8): the jump table is used by code of two sections' -q shared.o
expect_error ">>> 'socket' and '.text': its offsets may be relative to either"
refused "lost.o:(.jumptables+0x20): the jump table leads to '.text'+0x20, which was dropped from the output" -q f1.o lost.o
