#!/bin/bash
# DWARF that btfdedup makes no BTF of, or omits parts of. No compiler writes most of it, so the entries are
# written by hand.
. "$(dirname "$0")/common.sh"

# by_hand <<ASSEMBLY: good.o with these sections and the abbreviations below
by_hand() {
  cat - >dwarf.s <<'END'
.section .debug_abbrev,"",@progbits
# Code, tag, children, then attributes and forms
	.byte 1, 0x11, 1, 0x13, 0xb, 0, 0                   # unit: language
	.byte 2, 0x24, 0, 3, 8, 0xb, 0xb, 0x3e, 0xb, 0, 0   # base type: name, size, encoding
	.byte 3, 0x16, 0, 3, 8, 0x49, 0x13, 0, 0            # typedef: name, type
	.byte 4, 0x2e, 1, 3, 8, 0x11, 1, 0, 0               # function: name, address
	.byte 5, 5, 0, 3, 8, 0x49, 0x13, 2, 0x18, 0, 0      # parameter: name, type, location
	.byte 6, 5, 0, 3, 8, 0x49, 0x13, 0, 0               # parameter: name, type
	.byte 7, 0x2e, 1, 3, 8, 0x20, 0xb, 0, 0             # inline function: name, inline
	.byte 8, 0x2e, 1, 0x31, 0x13, 0x11, 1, 0, 0         # function: origin, address
	.byte 9, 5, 0, 0x31, 0x13, 2, 0x18, 0, 0            # parameter: origin, location
	.byte 10, 0x16, 0, 3, 8, 0x49, 0x1c, 0, 0           # typedef: name, type in another file
	.byte 11, 4, 1, 0xb, 0xb, 0, 0                      # enum: size
	.byte 12, 0x28, 0, 0, 0                             # enumerator
	.byte 0
unknown_form:
	.byte 1, 0x11, 1, 0x13, 0x7f, 0, 0
	.byte 0
large_table:
	.byte 1, 0x11, 0
	.rept 50000
	.byte 0x3f, 0x19
	.endr
	.byte 0, 0, 0
.macro begin_unit version=4, table=0, address_size=8, language=12
	.long 2f-1f
1:	.short \version
	.long \table
	.byte \address_size
	.byte 1, \language
.endm
.section .debug_info,"",@progbits
unit:
END
  cat >>dwarf.s
  clang-19 --target=x86_64-linux-gnu -c dwarf.s -o good.o
}
# refused MESSAGE [PLACE=VALUE...]: good.o, with numbers changed, is an error with MESSAGE
refused() {
  local message=$1
  shift
  doctored bad.o "$@"
  expect_message "btfdedup: error: $message" "$BTFDEDUP" --dwarf bad.o -o out.o
}
# noted NOTES ARGUMENT...: BTF is made of good.o, with these notes
noted() {
  local notes=$1
  shift
  "$BTFDEDUP" --dwarf good.o -o out.btf "$@" 2>errors || mistake "exit status $?"
  [[ $(<errors) == "$notes" ]] || mistake "expected"$'\n'"$notes"$'\n'"but got"$'\n'"$(<errors)"
}

# ---- units

by_hand <<'END'
begin_unit
	.byte 2
	.asciz "int"
	.byte 4, 5
	.byte 0
2:
END
noted ''
refused 'bad.o: .debug_info+0x0: the unit has version 6 of DWARF, which is unknown' bytes:.debug_info:4=6
refused 'bad.o: .debug_info+0xd: abbreviation 77 of the entry is not defined' bytes:.debug_info:13=77
refused 'bad.o: .debug_info+0x0: the unit ends within its entries' bytes:.debug_info:0=old-1 header:.debug_info:sh_size=old-1
refused 'bad.o: .debug_info+0xd: the entry is cut off' bytes:.debug_info:0=old-2 header:.debug_info:sh_size=old-2
refused 'bad.o: has no types of C in its DWARF' bytes:.debug_info:13=0
table=$("$python" -S -c 'import bpfobj; print(next(s.value for s in bpfobj.Object("good.o").symbols if s.name == "unknown_form"))')
refused "bad.o: .debug_info+0x0: abbreviations at 0x$(printf %x "$table") are cut off, or have unknown forms" bytes:.debug_info:6="$table"
llvm-objcopy-19 --remove-section=.debug_info good.o
refused 'bad.o: has no DWARF: compile with -g'

by_hand <<'END'
begin_unit
	.byte 10
	.asciz "elsewhere"
	.long 11
	.byte 0
2:
END
refused 'bad.o: DWARF refers to entries that are not in it'

# Units that each need the large table again
by_hand <<'END'
.rept 40
begin_unit table=large_table-.debug_abbrev
2:
begin_unit table=large_table-.debug_abbrev address_size=4
2:
.endr
END
refused 'bad.o: .debug_info+0x152: units share abbreviations in more ways than any compiler writes'

# ---- what is left out

by_hand <<'END'
begin_unit language=0x21
	.byte 0
2:
begin_unit
	.byte 2
	.asciz "complex"
	.byte 8, 3
	.byte 2
	.asciz "int"
	.byte 4, 5
	.byte 3
	.asciz "no_type"
	.long 11
	.byte 0
2:
END
noted 'btfdedup: good.o: omitted 1 unit in other languages than C
btfdedup: good.o: wrote 1 type of numbers that BTF lacks as void
btfdedup: good.o: wrote 1 reference to what is not a type as void'

# ---- functions of an image

by_hand <<'END'
begin_unit
int:
	.byte 2
	.asciz "int"
	.byte 4, 5
# function NAME: its parameter is in the register with this number, or nowhere
.macro function name, register
	.byte 4
	.asciz "\name"
	.quad \name\()_code-.text
	.ifb \register
	.byte 6
	.asciz "one"
	.long int-unit
	.else
	.byte 5
	.asciz "one"
	.long int-unit
	.byte 1, 0x50+\register
	.endif
	.byte 0
.endm
	function good, 5
	function several, 5
	function elsewhere, 0
	function shorter
origin:
	.byte 7
	.asciz "turned"
	.byte 1
first:
	.byte 6
	.asciz "first"
	.long int-unit
second:
	.byte 6
	.asciz "second"
	.long int-unit
	.byte 0
	.byte 8
	.long origin-unit
	.quad turned_code-.text
	.byte 9
	.long second-unit
	.byte 1, 0x55
	.byte 9
	.long first-unit
	.byte 1, 0x54
	.byte 0
	.byte 0
2:
.text
	nop
.macro code names:vararg
	.irp name, \names
	.type \name, @function
\name:
	.endr
	ret
.endm
good_code:
	code good
several_code:
	code several
	code several.constprop.0
elsewhere_code:
	code elsewhere
shorter_code:
	code shorter.isra.0
turned_code:
	code turned
absent_code:
	code absent
END
noted '' --linked good.o
[[ $(bpftool btf dump file out.btf | grep -c FUNC\ ) == 1 ]] || mistake 'other functions'
noted 'btfdedup: good.o: omitted elsewhere: one of the functions with a parameter in another register
btfdedup: good.o: omitted several: one of the functions at several addresses
btfdedup: good.o: omitted shorter: one of the functions without some of their parameters
btfdedup: good.o: omitted turned: one of the functions with parameters in another order
btfdedup: good.o: omitted absent: no unit in C defines it' --linked good.o --verbose
[[ $(bpftool btf dump file out.btf | grep -c FUNC\ ) == 1 ]] || mistake 'other functions'

# ---- sections

by_hand <<'END'
begin_unit
	.byte 0
	.quad .text
2:
END
refused "bad.o: section '.rela.debug_info' is malformed" header:.rela.debug_info:sh_entsize=25
refused "bad.o: section '.rela.debug_info' has relocations of type 14, which is unknown" rel:.rela.debug_info:0:r_type=14
refused "bad.o: section '.rela.debug_info': the relocation at 0x1000 is outside" rel:.rela.debug_info:0:r_offset=0x1000

# A section whose zstd frame has only its first four bytes
by_hand <<'END'
	.long 2, 0
	.quad 100, 1
	.long 0xfd2fb528
END
refused "bad.o: section '.debug_info': is cut off: the zstd stream has no end" header:.debug_info:sh_flags=0x800

# One that zlib makes a thousandth of
by_hand <<'END'
	.zero 0x2000000
END
llvm-objcopy-19 --compress-debug-sections=zlib good.o bad.o
expect_message "btfdedup: error: bad.o: section '.debug_info': decompresses to more than 1 MiB" \
  "$BTFDEDUP" --dwarf bad.o -o out.o

# ---- sizes that BTF cannot refer to

# An enum with more values than the kind of a type leaves bits for
by_hand <<'END'
begin_unit
	.byte 11, 4
	.fill 0xffffff, 1, 12
	.byte 0, 0
2:
END
expect_message "btfdedup: error: good.o: .debug_info+0x100000d: a type has more than 16777214 members" \
  "$BTFDEDUP" --dwarf good.o -o out.o

# In files of holes

# with_holes SECTION SIZE: the contents of the section of bad.o are the end of a file of holes
with_holes() {
  local end
  end=$(stat -c %s good.o)
  doctored bad.o "header:$1:sh_offset=$end" "header:$1:sh_size=$2"
  llvm-objcopy-19 --dump-section="$1"=contents good.o /dev/null
  cat contents >>bad.o
  truncate -s $((end + $2)) bad.o
}
by_hand <<'END'
	.long 0xffffffff
	.quad 0x100000000
	.short 4
	.quad 0
	.byte 8
END
with_holes .debug_info $((0x10000000c))
expect_message "btfdedup: error: bad.o: .debug_info+0x0: 4294967308 bytes of entries that refer to each other are too many" \
  "$BTFDEDUP" --dwarf bad.o -o out.o
by_hand <<'END'
begin_unit
	.byte 0
2:
.section .debug_str,"MS",@progbits,1
	.byte 0
END
with_holes .debug_str $((0xffffffff))
expect_message 'btfdedup: error: bad.o: DWARF has more bytes of strings than BTF can refer to' \
  "$BTFDEDUP" --dwarf bad.o -o out.o
