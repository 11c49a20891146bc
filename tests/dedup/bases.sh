#!/bin/bash
# Split BTF: a chain of bases, and modules that contain their base.
. "$(dirname "$0")/common.sh"

# Each blob continues the type ids and string offsets of those before it.
# String offsets: int 1, one 5, two 9, three 13, a 19, b 21.
blob base.btf 'add(INT, "int", 4, 0x1000020); add(STRUCT, "one", 4, 19, 1, 0); string("two"); string("three"); string("a"); string("b")'
blob second.btf 'add(STRUCT, 9, 4, 21, 2, 0); strings = b"module\0"'
blob third.btf 'add(PTR, 0, 3); add(TYPEDEF, 23, 4); add(STRUCT, 5, 4, 19, 1, 0); strings = b""'

"$BTFDEDUP" --base base.btf --base second.btf third.btf -o out.btf --dump raw >raw
expect "[4] PTR '(anon)' type_id=3
[5] TYPEDEF 'module' type_id=4" cat raw
"$BTFDEDUP" --base base.btf --base second.btf out.btf -o again.btf
cmp out.btf again.btf
"$BTFDEDUP" --base base.btf second.btf --dump raw >raw
expect "[3] STRUCT 'two' size=4 vlen=1
	'b' type_id=2 bits_offset=0" cat raw

# A blob that stands alone, and blobs that are split from another base
blob other.btf 'add(INT, "a_longer_name_than_before", 4, 0x1000020); add(STRUCT, "s", 4, "b", 1, 0); add(STRUCT, "t", 4, "b", 1, 0); add(PTR, "", 1); add(PTR, "", 2)'
wrong='is not split from the given base:'
expect_message "btfdedup: error: base.btf: $wrong it stands alone" \
  "$BTFDEDUP" --base base.btf base.btf -o out.o
expect_message "btfdedup: error: other.btf: $wrong the names of 2 of 3 types begin in the middle of a string" \
  "$BTFDEDUP" --base base.btf --base other.btf third.btf -o out.o
blob named.btf 'add(TYPEDEF, 24, 1); add(TYPEDEF, 26, 1); strings = b"module\0"'
expect_message "btfdedup: error: named.btf: $wrong the names of 2 of 2 types begin in the middle of a string" \
  "$BTFDEDUP" --base base.btf named.btf -o out.o

# A module with .BTF.base is split from that base.
echo 'int number;' | gcc -x c -c - -o plain.o
objcopy --add-section=.BTF=second.btf --add-section=.BTF.base=base.btf plain.o module.ko
"$BTFDEDUP" module.ko -o got.btf --dump raw >raw
expect "[3] STRUCT 'two' size=4 vlen=1
	'b' type_id=2 bits_offset=0" cat raw
cp module.ko updated.ko
"$BTFDEDUP" --update updated.ko
"$BTFDEDUP" updated.ko --dump raw >raw.updated
cmp raw raw.updated
"$BTFDEDUP" --base module.ko third.btf --dump raw >raw
expect "[4] PTR '(anon)' type_id=3
[5] TYPEDEF 'module' type_id=4" cat raw
"$BTFDEDUP" module.ko updated.ko --dump raw >raw
expect "[3] STRUCT 'two' size=4 vlen=1
	'b' type_id=2 bits_offset=0" cat raw
"$BTFDEDUP" --base base.btf module.ko --dump raw >raw # a base may have other types and ids
expect "[3] STRUCT 'two' size=4 vlen=1
	'b' type_id=2 bits_offset=0" cat raw
expect_message 'btfdedup: error: module.ko: is split from its section .BTF.base, not from the base given' \
  "$BTFDEDUP" --base base.btf --base second.btf module.ko -o out.o
expect_message 'btfdedup: error: module.ko: is split from its section .BTF.base, not from the base given' \
  "$BTFDEDUP" --base base.btf --base module.ko third.btf -o out.o
expect_message 'btfdedup: error: base.btf: is split from another base than module.ko' \
  "$BTFDEDUP" module.ko base.btf -o out.o
expect_message 'btfdedup: error: module.ko: is split from another base than base.btf' \
  "$BTFDEDUP" base.btf module.ko -o out.o
head -c 30 base.btf >cut.btf
objcopy --add-section=.BTF=second.btf --add-section=.BTF.base=cut.btf plain.o bad.ko
expect_message "btfdedup: error: bad.ko: .BTF.base: type section at offset 24 with 40 bytes exceeds the blob's 30 bytes" \
  "$BTFDEDUP" bad.ko -o out.o
cat base.btf base.btf >twice.btf
expect_message 'btfdedup: error: twice.btf: a base must have exactly one BTF' \
  "$BTFDEDUP" --base twice.btf second.btf -o out.o
expect_message 'btfdedup: error: plain.o: has no section .BTF' "$BTFDEDUP" --base plain.o base.btf -o out.o

# What the base only declares, a kernel's module defines: what refers to it stays the base's, also in other units. A
# pointer is to the definition. Other inputs have structs of their own, whose definitions say more.
cat >kernel.c <<'E2'
struct owner; union detail;
struct lock { struct owner *owner; struct task *task; union { union detail *detail; long plain; }; };
struct task { struct lock *lock; int id; } task;
E2
{ sed 's/ task;$/;/' kernel.c; echo 'union detail { struct task *task; int own; }; struct own { struct owner *owner; struct lock lock; } own;'; } >declaring.c
{ cat declaring.c; echo 'struct owner { struct lock *lock; struct own *own; } owner;'; } >defining.c
sed 's/struct own \*own; } owner/int other; } owner/' defining.c >conflicting.c
for unit in kernel declaring defining conflicting; do gcc -g -c $unit.c; done
"$BTFDEDUP" kernel.o -o kernel.btf
structs_of() { "$BTFDEDUP" --base kernel.btf "$@" -o module.btf --dump raw | sed -nE "s/.* (STRUCT|UNION) '([^']*)'.*/\2/p" | sort | xargs; }
ld -r -z muldefs declaring.o defining.o -o module.ko
expect '(anon) detail lock own owner task' structs_of declaring.o defining.o
expect 'detail own owner' structs_of module.ko
bpftool -B kernel.btf btf dump file module.btf >raw
expect "$(sed -nE "s/^\[([0-9]+)\] STRUCT 'owner'.*/\1/p" raw)" \
  sed -nE "s/^\[$(sed -nE "s/.*'owner' type_id=([0-9]*).*/\1/p" raw | head -n 1)\] PTR .*type_id=//p" raw
"$BTFDEDUP" --base kernel.btf module.btf -o again.btf
cmp module.btf again.btf
ld -r -z muldefs declaring.o defining.o conflicting.o -o module.ko
expect 'detail own own own owner owner' structs_of module.ko

# A base of a pahole that wrote arrays of several dimensions as one
cat >grid.c <<'E2'
struct task { struct grid *grid; int id; };
struct grid { int cells[2][3][4]; struct task *tasks[2][2]; } grid;
E2
sed 's/ grid;$/; struct own { struct grid *grid; char cells[2][5], (*far)[65536][65536]; } own;/' grid.c >own.c
gcc -g -c grid.c && gcc -g -c own.c && "$BTFDEDUP" grid.o -o nested.btf
LLVM_OBJCOPY=llvm-objcopy-19 pahole -J grid.o
"$BTFDEDUP" grid.o -o kernel.btf
for base in kernel nested; do
  "$BTFDEDUP" --base $base.btf own.o -o module.btf
  expect own sed -nE "s/.* STRUCT '([^']*)'.*/\1/p" <(bpftool -B $base.btf btf dump file module.btf)
  expect 2 grep -c 'nr_elems=65536$' <(bpftool -B $base.btf btf dump file module.btf) # 4 GB are too many for one
done
