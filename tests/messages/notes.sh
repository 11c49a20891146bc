#!/bin/bash
# Messages of a link that succeeds: with -v, --print-gc-sections, -y, and in its reports
. "$(dirname "$0")/common.sh"

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

# --emit-stats, --json, --dependency-file. Passes are those of link.cpp, in its order.
"$BPFLINK" main.o lib.o --emit-stats --json figures --dependency-file out.d -o out.o >figures.text
expect 'objects N
types in N
types out N
section bytes in N
section bytes out N
relocations out N
symbols out N' sed -nE 's/ +[0-9]+$/ N/p' figures.text
sed -nE 's/ +[0-9.]+ s$//p' figures.text >passes
jq -r '.passes[].name' figures >passes.json
expect 'write reports' comm -23 --nocheck-order passes passes.json
sed -nE 's/.*RUN\(([a-z_]+)\);/\1/p' "$here/../../linker/link.cpp" | tr _ ' ' | diff - passes >others || true
expect '' sed -n '/^>/p' others
(($(wc -l <passes) > 20)) || mistake "hardly any passes: $(<passes)"
expect '{"files":["main.o","lib.o"],"objects":2,"types":{"in":0,"out":0},"section_bytes":{"in":148,"out":120},"relocations":2,"symbols":9}' \
  jq -c '{files, objects, types, section_bytes, relocations, symbols}' figures
expect 'out.o: \
  main.o \
  lib.o

main.o:

lib.o:' cat out.d
