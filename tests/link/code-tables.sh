#!/bin/bash
# Tables about code, as LLVM 22 and exceptions make them: jump tables without relocations, of which
# each file has its own BPF.JT.0.0; .bpf_cleanup, .eh_frame, .gcc_except_table. Their entries move
# with the code and are dropped with it.
. "$(dirname "$0")/common.sh"

# gotox R: jumps to the address in register R; clang-19 has no such instruction.
gotox() { echo ".byte 0x0d, 0x0$1, 0, 0, 0, 0, 0, 0"; }

# tables N TARGET: fN.o with a weak function `lost`, `pickN`, `unused`, each with its entries
tables() {
  assemble "f$1" "--target=$2" <<EOF
	.text
	.cfi_sections .eh_frame
	weak lost, function
	.cfi_startproc
	.cfi_lsda 0, .Llost_actions
	r1 = BPF.JT.0.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	r0 = $1
	exit
	.cfi_endproc
	end lost
	global pick$1, function
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
	end pick$1
	static unused, function
	.cfi_startproc
	.cfi_lsda 0, .Lpick_actions
	r1 = BPF.JT.2.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	.cfi_endproc
	end unused
	.section socket,"ax",@progbits
	global prog$1, function
	call lost
	call pick$1
	r1 = BPF.JT.3.0 ll
	r1 = *(u64 *)(r1 + 0)
	$(gotox 1)
	r0 = 3
	exit
	end prog$1
	.section .jumptables,"",@progbits
	global BPF.JT.0.0, object
	.quad 32
	end BPF.JT.0.0
	global BPF.JT.1.0, object
	.quad 80, 96, 80
	end BPF.JT.1.0
	global BPF.JT.2.0, object
	.quad 112
	end BPF.JT.2.0
	global BPF.JT.3.0, object
	.quad 48
	end BPF.JT.3.0
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
  tables 1 $target
  tables 2 $target

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
    s/^	r1 = .jumptables/	r1 = .jumptables/' f2.s | assemble old --target=$target
  "$BPFLINK" f1.o old.o -o out.o
  expect '20 50 60 50 70 30 b0 c0 b0 d0 70' words 8 .jumptables
done

# Invalid tables
tables 1 bpfel
sed 's/\.quad 112/.quad 144/' f1.s | assemble beyond
sed 's/r1 = BPF.JT.3.0 ll/r1 = BPF.JT.1.0 ll/' f1.s | assemble shared
sed 's/\.quad 112/.quad 32/' f2.s | assemble lost
refused "beyond.o:(.jumptables+0x20): the jump table leads to '.text'+0x90, which is outside of the section" -q beyond.o
refused 'shared.o:(.jumptables+0x8): the jump table is used by code of two sections' -q shared.o
expect_error ">>> 'socket' and '.text': its offsets may be relative to either"
refused "lost.o:(.jumptables+0x20): the jump table leads to '.text'+0x20, which was dropped from the output" -q f1.o lost.o
