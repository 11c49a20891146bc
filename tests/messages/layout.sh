#!/bin/bash
# Errors in the layout of sections, in relocation, and in types of several inputs
. "$(dirname "$0")/common.sh"

# fails MESSAGE FILE...
fails() { expect_message "bpflink: error: $1" "$BPFLINK" "${@:2}" -o out.o; }

# Sizes
for name in a b; do echo "char $name[3u << 30];" | compile $name -g0; done
fails "output section '.bss' has 0x180000000 bytes, but BPF can address only 4 GiB" a.o b.o
assemble contents <<'END'
	.section custom,"aw",@progbits
	.long 1
END
assemble zeros <<'END'
	.section custom,"aw",@nobits
	.zero 0x3000000
END
cp zeros.o more-zeros.o
fails "more-zeros.o: section 'custom' would put 0x3000000 zeros into the output, more than 0x1000000
>>> the section has contents in another object" contents.o zeros.o more-zeros.o

# Numbers of sections
many() { for ((i = $1; i <= $2; i++)); do printf '\t.section .s%d,"a"\n\t.byte 1\n' "$i"; done; }
many 1 32000 | assemble some
many 32001 65279 | assemble rest
many 65280 65280 | assemble last
"$BPFLINK" --verify some.o rest.o -o most.o
fails 'out.o: 65280 sections are more than the 65279 that a symbol can be in' some.o rest.o last.o

# Flags
assemble writable <<'END'
	.section custom,"aw",@progbits
	.long 1
END
assemble read_only <<'END'
	.section custom,"a",@progbits
	.long 1
END
assemble plain <<'END'
	.section custom,"",@progbits
	.long 1
END
assemble strings <<'END'
	.section custom,"aMS",@progbits,1
	.asciz "one"
END
assemble wide_strings <<'END'
	.section custom,"aMS",@progbits,2
	.short 'o', 0
END
fails "flags of section 'custom' differ
>>> WA in writable.o
>>> A in read_only.o" writable.o read_only.o
fails "flags of section 'custom' differ
>>> AMS in strings.o
>>> none in plain.o" strings.o plain.o
fails "entry sizes of section 'custom' differ
>>> 1 in strings.o
>>> 2 in wide_strings.o" strings.o wide_strings.o

# Relocations
assemble dropped <<'END'
	.section .comment,"",@progbits
	global global, object
	.quad 0
	static label, object
	.quad 0
	.section .data,"aw",@progbits
	.quad global
	.quad .comment
	.quad label
END
llvm-objcopy-19 --add-symbol=named=.comment:0,local dropped.o good.o
fails "dropped.o:(.data+0x0): relocation R_BPF_64_ABS64 refers to symbol 'global', which is not in the output
bpflink: error: dropped.o:(.data+0x8): relocation R_BPF_64_ABS64 refers to what was dropped from the output
bpflink: error: dropped.o:(.data+0x10): relocation R_BPF_64_ABS64 refers to what was dropped from the output" dropped.o
named=$(llvm-readelf-19 -sW good.o | sed -n 's/: .* named$//p' | tr -d ' ')
doctored bad.o rel:.rel.data:2:r_sym=$named
fails "bad.o:(.data+0x0): relocation R_BPF_64_ABS64 refers to symbol 'global', which is not in the output
bpflink: error: bad.o:(.data+0x8): relocation R_BPF_64_ABS64 refers to what was dropped from the output
bpflink: error: bad.o:(.data+0x10): relocation R_BPF_64_ABS64 refers to local symbol 'named', which is not in the output" bad.o
compile lines <<<'extern int global;
SEC("socket") int prog(void *ctx) { return global; }'
sed '/\.section .data/,$d' dropped.s | assemble only_dropped
expect_message "lines.bpf.c:2:44: error: lines.o:(socket+0x0): relocation R_BPF_64_64 refers to symbol 'global', which is not in the output
    2 | SEC(\"socket\") int prog(void *ctx) { return global; }
      |                                            ^" "$BPFLINK" lines.o only_dropped.o -o out.o
assemble good <<'END'
	.globl v
	.section .data,"aw",@progbits
v:	.quad v
	.quad 0, 0
END
# .rel.data becomes .rela.data, at the end of the file, with an addend that no field holds.
truncate -s %8 good.o
end=$(stat -c %s good.o)
truncate -s +24 good.o
doctored bad.o header:.rel.data:sh_type=4 header:.rel.data:sh_offset="$end" header:.rel.data:sh_size=24 \
  header:.rel.data:sh_entsize=24 file:$((end + 8)):8='symbol("v") << 32 | 3' file:$((end + 16)):8='1 << 40' # R_BPF_64_ABS32
fails 'bad.o:(.data+0x0): relocation R_BPF_64_ABS32 refers to offset 0x10000000000, which the instruction or field cannot hold' bad.o

# Variables
compile good <<<'static volatile int a = 1, b = 2; SEC("socket") int prog(void *ctx) { return a + b; }'
bad "variable 'b' at .data+0x2 with 0x4 bytes overlaps the variable before it" type:.data:7=2
doctored bad.o type:.data:8=0x40
fails "bad.o: variable 'b' at .data+0x4 with 0x40 bytes extends beyond the section" bad.o

# Types of several inputs
for size in 4 8; do
  blob odd.btf "add(INT, 'int', 4, 32); layout = [(0, 0, 0)] * 20 + [($size, 0, 0)]"
  llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --add-section=.BTF=odd.btf contents.o odd-$size.o
done
fails 'odd-8.o: .BTF: layout section gives other sizes for kind 20 than that of an earlier input' odd-4.o odd-8.o
