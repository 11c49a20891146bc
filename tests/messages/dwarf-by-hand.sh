#!/bin/bash
# DWARF that clang does not generate for C: compressed sections, addends in RELA, a definition that
# refers to its declaration, and unusual sizes. The message shows the line or does without, and comes at
# once.
. "$(dirname "$0")/common.sh"

compile a <<<'extern int v; SEC("socket") int prog(void *ctx) { return v; }'
compile b <<<'long v = 1;'
rest='>>> they differ at v
>>>     b.o: long, 8 bytes
>>>     a.o: int, 4 bytes
>>> declare it once, in a header that all include'
# known PLACE | unknown: the message has this line for the definition of `v` in b.o, or none
known() {
  expect_message "$1: error: conflicting types of 'v'
>>> long v
>>>     defined in $1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)
$rest" "$BPFLINK" a.o b.o -o out.o
}
unknown() {
  expect_message "bpflink: error: conflicting types of 'v'
>>> long v
>>>     defined in b.o:(.data+0x0)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)
$rest" timeout 30 "$BPFLINK" a.o b.o -o out.o
}
known "b.bpf.c:1"
cp b.o good.o

# Sections that bpflink does not read: compressed, or with RELA addends
llvm-objcopy-19 --compress-debug-sections=zlib good.o b.o
grep -qE '\.debug_info .* C +[0-9]' <<<"$(llvm-readelf-19 -SW b.o)" || mistake 'nothing is compressed'
unknown
llvm-objcopy-19 --rename-section .rel.debug_info=.rela.debug_info good.o b.o
unknown

# by_hand <<ASSEMBLY: b.o with only this DWARF, of version 4; its file is hand.c
by_hand() {
  {
    echo '.section .debug_line,"",@progbits
	.long 2f-1f
1:	.short 4
	.long 4f-3f
3:	.byte 8, 1, 1, 0xfb, 14, 1
	.byte 0
	.asciz "hand.c"
	.byte 0, 0, 0, 0
4:
2:'
    cat
  } >dwarf.s
  clang-19 --target=bpf -c dwarf.s -o dwarf.o
  llvm-strip-19 --strip-debug -o b.o good.o
  local section
  for section in info abbrev line; do
    llvm-objcopy-19 --dump-section .debug_$section=contents dwarf.o /dev/null
    llvm-objcopy-19 --add-section .debug_$section=contents b.o
  done
}
unit='.section .debug_info,"",@progbits
	.long 6f-5f
5:	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.long 0'
# Code, tag, children, then name and form of each attribute; a unit has its line table (0x10, form 0x17)
of_unit='.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 1, 0x10, 0x17, 0, 0'

# A declaration (name, file, line, declaration, external) at offset 16 of the unit. The definition refers
# to it (0x47) and has its own line.
by_hand <<END
$of_unit
	.byte 2, 0x34, 0, 3, 8, 0x3a, 0xb, 0x3b, 0xb, 0x3c, 0x19, 0x3f, 0x19, 0, 0
	.byte 3, 0x34, 0, 0x47, 0x13, 0x3b, 0xb, 0, 0
	.byte 0
$unit
	.byte 2
	.asciz "v"
	.byte 1, 7
	.byte 3
	.long 16
	.byte 9
	.byte 0
6:
END
known hand.c:9

# A definition with an invalid reference
by_hand <<END
$of_unit
	.byte 3, 0x34, 0, 0x47, 0x13, 0x3b, 0xb, 0, 0
	.byte 0
$unit
	.byte 3
	.long 4096
	.byte 9
	.byte 0
6:
END
unknown

# attributes COUNT: COUNT entries of one byte, each with twenty thousand attributes of no bytes
attributes() {
  by_hand <<END
$of_unit
	.byte 2, 0x34, 0
	.rept 20000
	.byte 0x3f, 0x19
	.endr
	.byte 0, 0
	.byte 3, 0x34, 0, 3, 8, 0x3a, 0xb, 0x3b, 0xb, 0x3f, 0x19, 0, 0
	.byte 0
$unit
	.rept $1
	.byte 2
	.endr
	.byte 3
	.asciz "v"
	.byte 1, 7
	.byte 0
6:
END
}
attributes 100
known hand.c:7
attributes 1000000
known hand.c:7
