#!/bin/bash
# Messages of a link that succeeds: with -v, --print-gc-sections, -y, and in its reports
. "$(dirname "$0")/common.sh"

# assemble NAME <<SOURCE
assemble() {
  cat >"$1.s"
  "$CC" --target=bpf -mcpu=v3 -c "$1.s" -o "$1.o"
}
compile main -g0 <<'END'
int used(int x);
__weak int pick(int x) { return x * 3; }
__weak const int unused = 1;
char _license[] SEC("license") = "GPL";
SEC("socket") int prog(struct __sk_buff *ctx) { return used(ctx->len) + pick(ctx->mark); }
END
compile lib -g0 <<'END'
int pick(int x) { return x + 1; }
int used(int x) { return x * 2; }
char _license[] SEC("license") = "GPL";
END
echo 'text' >text.c
llvm-ar-19 rc lib.a lib.o text.c

"$BPFLINK" -v main.o lib.a -o out.o 2>log
expect "bpflink: main.o: 9 sections, 7 symbols, 0 types
bpflink: lib.a(text.c): not a BPF object but text file (compile it first)
bpflink: lib.a(lib.o): needed for 'used'
bpflink: lib.a(lib.o): 6 sections, 5 symbols, 0 types
bpflink: main.o: 'pick' loses to the definition in lib.a(lib.o), which differs
bpflink: lib.a(lib.o): '_license' loses to the definition in main.o
bpflink: warning: no input has BTF
>>> compile with -g" cat log

"$BPFLINK" -y pick -y unused -y absent main.o lib.o -o out.o 2>log
expect 'bpflink: main.o: definition of pick
bpflink: lib.o: definition of pick
bpflink: main.o: definition of unused
bpflink: warning: no input has BTF
>>> compile with -g
bpflink: warning: -y absent: no input has a symbol of this name' cat log

"$BPFLINK" --gc-sections --print-gc-sections main.o lib.o -o out.o 2>log
expect 'bpflink: removing unused main.o:(.rodata+0x0) unused
bpflink: removed 4 bytes of 1 unused definition
bpflink: warning: no input has BTF
>>> compile with -g' cat log

# A section that must stay whole
assemble entangled <<'END'
	.section .data,"aw",@progbits
	.weak loser
	.type loser,@object
	.size loser,8
loser:	.quad 1
	.globl keeper
	.type keeper,@object
	.size keeper,8
keeper:	.quad .data + 4
END
assemble winner <<'END'
	.section .data,"aw",@progbits
	.globl loser
	.type loser,@object
	.size loser,8
loser:	.quad 2
END
"$BPFLINK" -v entangled.o winner.o -o out.o 2>log
expect "bpflink: entangled.o: 6 sections, 4 symbols, 0 types
bpflink: winner.o: 5 sections, 2 symbols, 0 types
bpflink: entangled.o: 'loser' loses to the definition in winner.o, which differs
bpflink: entangled.o: section '.data' is kept whole, with its losing definitions: this points into one of them or outside of any
>>> in entangled.o:(.data+0x8)" cat log

# --Map
assemble strings <<'END'
	.section .strings,"aMS",@progbits,1
	.asciz "one"
	.section .comment,"",@progbits
	.asciz "nothing"
END
cp strings.o same.o
"$BPFLINK" entangled.o winner.o --Map map -o out.o
expect 'Output section
      offset       size  where from

.data
         0x0       0x18
         0x0       0x10  entangled.o:(.data+0x0)
         0x0        0x8      loser
         0x8        0x8      keeper
        0x10        0x8  winner.o:(.data+0x0)
        0x10        0x8      loser

Dropped
         0x0  entangled.o:(.text+0x0): empty
         0x0  entangled.o:(.data+0x0) loser: overridden by that of winner.o; its bytes stay, as the section cannot be split
         0x0  winner.o:(.text+0x0): empty

Totals
          in        out
        0x18       0x18 100 %  .data
        0x18       0x18 100 %  all' cat map
"$BPFLINK" --gc-sections --keep-section .strings main.o lib.o entangled.o winner.o strings.o same.o --Map map -o out.o
expect 'Output section
      offset       size  where from

socket
         0x0       0x40
         0x0       0x40  main.o:(socket+0x0)
         0x0       0x40      prog
license
         0x0        0x4
         0x0        0x4  main.o:(license+0x0)
         0x0        0x4      _license
.text
         0x0       0x30
         0x0       0x18  lib.o:(.text+0x0)
         0x0       0x18      pick
        0x18       0x18  lib.o:(.text+0x18)
        0x18       0x18      used
.strings
         0x0        0x4
         0x0        0x4  strings.o:(.strings+0x0)
         0x0        0x4  same.o:(.strings+0x0)  (same as an earlier one)

Dropped
         0x2  main.o:(.llvm_addrsig+0x0): of no use in a linked object
        0x18  main.o:(.text+0x0) pick: overridden by that of lib.o
         0x4  lib.o:(license+0x0): same as in main.o
         0x1  lib.o:(.llvm_addrsig+0x0): of no use in a linked object
         0x0  entangled.o:(.text+0x0): empty
         0x8  entangled.o:(.data+0x0) loser: overridden by that of winner.o
         0x0  winner.o:(.text+0x0): empty
         0x0  strings.o:(.text+0x0): empty
         0x8  strings.o:(.comment+0x0): of no use in a linked object
         0x0  same.o:(.text+0x0): empty
         0x8  same.o:(.comment+0x0): of no use in a linked object
         0x4  main.o:(.rodata+0x0) unused: not reached from any root
         0x8  entangled.o:(.data+0x8) keeper: not reached from any root
         0x8  winner.o:(.data+0x0) loser: not reached from any root

Totals
          in        out
        0x40       0x40 100 %  socket
         0x8        0x4  50 %  license
        0x48       0x30  67 %  .text
         0x8        0x4  50 %  .strings
         0x4        0x0   0 %  .rodata
        0x18        0x0   0 %  .data
        0xb4       0x78  67 %  all' cat map

# --cref
"$BPFLINK" main.o lib.o --cref -o out.o >cref
expect 'Cross references: symbol, where it is defined, who else has it

pick                                     lib.o (defined)
                                         main.o (overridden)
prog                                     main.o (defined)
used                                     lib.o (defined)
                                         main.o
unused                                   main.o (defined)
_license                                 main.o (defined)
                                         lib.o (overridden)' cat cref
"$BPFLINK" -r main.o --cref -o out.o >cref
expect 'Cross references: symbol, where it is defined, who else has it

pick                                     main.o (defined)
prog                                     main.o (defined)
used                                     (undefined)
                                         main.o
unused                                   main.o (defined)
_license                                 main.o (defined)' cat cref

# --emit-stats, --json, --dependency-file
"$BPFLINK" main.o lib.o --emit-stats --json figures --dependency-file out.d -o out.o | sed -E 's/ +[0-9.]+( s)?$/ N\1/' >figures.text
expect 'objects N
types in N
types out N
section bytes in N
section bytes out N
relocations out N
symbols out N
open outputs N s
read inputs N s
check outputs N s
resolve symbols N s
split into fragments N s
mark live N s
report undefined symbols N s
warn unloadable N s
check programs N s
check functions N s
check data pointers N s
check core N s
check license N s
check maps N s
check externs N s
lay out sections N s
order maps N s
number symbols N s
merge btf N s
relocate N s
write output N s
read output N s
describe output N s
make report N s
write reports N s' cat figures.text
expect '{
  "files": [
    "main.o",
    "lib.o"
  ],
  "objects": 2,
  "types": {
    "in": 0,
    "out": 0
  },
  "section_bytes": {
    "in": 148,
    "out": 120
  },
  "relocations": 2,
  "symbols": 9,
  "passes": [
    {
      "name": "open outputs",
      "seconds": N
    },
    {
      "name": "read inputs",
      "seconds": N
    },
    {
      "name": "check outputs",
      "seconds": N
    },
    {
      "name": "resolve symbols",
      "seconds": N
    },
    {
      "name": "split into fragments",
      "seconds": N
    },
    {
      "name": "mark live",
      "seconds": N
    },
    {
      "name": "report undefined symbols",
      "seconds": N
    },
    {
      "name": "warn unloadable",
      "seconds": N
    },
    {
      "name": "check programs",
      "seconds": N
    },
    {
      "name": "check functions",
      "seconds": N
    },
    {
      "name": "check data pointers",
      "seconds": N
    },
    {
      "name": "check core",
      "seconds": N
    },
    {
      "name": "check license",
      "seconds": N
    },
    {
      "name": "check maps",
      "seconds": N
    },
    {
      "name": "check externs",
      "seconds": N
    },
    {
      "name": "lay out sections",
      "seconds": N
    },
    {
      "name": "order maps",
      "seconds": N
    },
    {
      "name": "number symbols",
      "seconds": N
    },
    {
      "name": "merge btf",
      "seconds": N
    },
    {
      "name": "relocate",
      "seconds": N
    },
    {
      "name": "write output",
      "seconds": N
    },
    {
      "name": "read output",
      "seconds": N
    },
    {
      "name": "describe output",
      "seconds": N
    },
    {
      "name": "make report",
      "seconds": N
    }
  ],' sed -E '/"output": /,$d; s/"seconds": .*/"seconds": N/' figures # tests/report compares the rest
expect 'out.o: \
  main.o \
  lib.o

main.o:

lib.o:' cat out.d
