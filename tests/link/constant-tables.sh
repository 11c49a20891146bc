#!/bin/bash
# Sections of mergeable constants, in which gcc puts the tables of a `switch`, and clang constant
# arrays: an output has each constant once, in whole entries. A section in which parts of entries
# stay is no longer mergeable.
. "$(dirname "$0")/common.sh"

# table NAME NUMBERS [EXTRA]: a program that reads a table of 28 bytes in an entry of 32
table() {
  assemble "$1" <<END_S
        .section .rodata.cst32,"aM",@progbits,32
        .balign 4
        .type CSWTCH.1,@object
        .size CSWTCH.1, 28
CSWTCH.1: .long $2
        .zero 4
        ${3:-}
        .section socket,"ax",@progbits
        global $1, function
        r1 = CSWTCH.1 ll
        r0 = *(u32 *)(r1 + 8)
        exit
        end $1
END_S
}
unused=$'.type CSWTCH.2,@object\n.size CSWTCH.2, 20\nCSWTCH.2: .long 9, 9, 9, 9, 9\n.zero 12'
table one '1, 2, 3, 5, 7, 11, 13'
table same '1, 2, 3, 5, 7, 11, 13'
table other '2, 3, 5, 7, 11, 13, 17' "$unused"

differs '- refused: *' 'the peer takes no objects without BTF'
link one.o
contains '.rodata.cst32 SHT_PROGBITS 32 AM 4' sections
link --gc-sections one.o
contains '.rodata.cst32 SHT_PROGBITS 32 AM 4' sections
expect '01 00 00 00 02 00 00 00 03 00 00 00' bytes .rodata.cst32 0 12

link one.o same.o other.o
contains '.rodata.cst32 SHT_PROGBITS 96 AM 4' sections
link --gc-sections one.o same.o other.o
contains '.rodata.cst32 SHT_PROGBITS 64 AM 4' sections
expect '05 00 00 00' bytes .rodata.cst32 $((32 + 8)) 4
symbol_values() { symbols | awk '$1 == "CSWTCH.1" { print $6 }' | sort -n; }
expect $'0\n0\n32' symbol_values

# A symbol that covers two entries needs both, side by side.
assemble wide <<'END_S'
        .section .rodata.cst4,"aM",@progbits,4
        global wide, object
        .long 1, 1
        .size wide, 8
        weak lost, object
        .short 7
        .size lost, 2
        .short 0
        .section socket,"ax",@progbits
        global prog, function
        r1 = wide ll
        r2 = lost ll
        r0 = *(u32 *)(r1 + 4)
        exit
        end prog
END_S
link -r wide.o
expect '01 00 00 00 01 00 00 00 07 00 00 00' bytes .rodata.cst4

# Dropping half of an entry leaves no whole entries.
assemble strong <<'END_S'
        .data
        global lost, object
        .long 8
        .size lost, 4
END_S
contains '.rodata.cst4 SHT_PROGBITS 12 AM 1' sections
link -r wide.o strong.o
contains '.rodata.cst4 SHT_PROGBITS 10 A 1' sections
