#!/bin/bash
# .BTF_ids with ids filled in, as by resolve_btfids: --update writes the merged types' ids and keeps
# sets sorted. --sort sorts types by name, and sorted types stay sorted.
. "$(dirname "$0")/common.sh"

# assemble OUTPUT: an object with .BTF_ids
assemble() {
  cat >ids.s <<'EOF2'
	.section .BTF_ids,"a"
	.local __BTF_ID__struct__third__1
__BTF_ID__struct__third__1:
	.long 6
	.globl a_list
a_list:
__BTF_ID__func__first__2:
	.long 3
	.long 0
__BTF_ID__set__plain:
	.long 3
__BTF_ID__struct__third__3:
	.long 6
__BTF_ID__struct__second__4:
	.long 5
__BTF_ID__func__missing__5:
	.long 0
__BTF_ID__set8__pairs:
	.long 3
	.long 0x77
__BTF_ID__struct__third__6:
	.long 6
	.long 1
__BTF_ID__func__first__7:
	.long 3
	.long 2
__BTF_ID__struct__second__8:
	.long 5
	.long 3
EOF2
  as ids.s -o "$1"
}
# The second `int` is a copy that the merge drops, so later ids decrease by one. 'first' gets the last id.
blob types.btf '
add(INT, "int", 4, 0x1000020)
add(FUNC_PROTO, "", 1)
add(FUNC, "first", 2, vlen=1)
add(INT, "int", 4, 0x1000020)
add(STRUCT, "second", 4, "a", 4, 0)
add(STRUCT, "third", 4, "a", 1, 0)'
words() {
  objcopy -O binary -j .BTF_ids "$1" words
  od -An -v -tu4 -w4 words | tr -d ' ' | tr '\n' ' '
}
assemble plain.o
objcopy --add-section=.BTF=types.btf plain.o ids.o
expect '6 3 0 3 6 5 0 3 119 6 1 3 2 5 3 ' words ids.o
cp ids.o updated.o
"$BTFDEDUP" --update updated.o
expect '5 3 0 3 0 4 5 3 119 3 2 4 3 5 1 ' words updated.o
cp updated.o again.o
"$BTFDEDUP" --update again.o
cmp updated.o again.o

# Sorted: '' 1, first 2, int 3, second 4, third 5
cp ids.o sorted.o
"$BTFDEDUP" --sort --update sorted.o
expect "[1] FUNC_PROTO '(anon)' ret_type_id=3 vlen=0
[2] FUNC 'first' type_id=1 linkage=global
[3] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
[4] STRUCT 'second' size=4 vlen=1
[5] STRUCT 'third' size=4 vlen=1" grep '^\[' <("$BTFDEDUP" sorted.o --dump raw)
expect '5 2 0 3 0 4 5 3 119 2 2 4 3 5 1 ' words sorted.o
cp sorted.o again.o
"$BTFDEDUP" --update again.o
cmp sorted.o again.o
"$BTFDEDUP" types.btf --sort -o got.btf
"$BTFDEDUP" sorted.o -o want.btf
cmp want.btf got.btf

# A sorted file is still sorted once it has the types of other files.
blob more.btf 'add(STRUCT, "zebra", 4, "a", 2, 0); add(INT, "int", 4, 0x1000020); add(STRUCT, "ant", 4, "a", 2, 0)'
objcopy --remove-section=.BTF_ids sorted.o other.o
"$BTFDEDUP" more.btf --update other.o
expect $'ant\nint\nzebra' sed -n "s/^\[.*'\(.*\)'.*/\1/p" <("$BTFDEDUP" other.o --dump raw | grep '^\[')
objcopy --remove-section=.BTF_ids ids.o other.o
"$BTFDEDUP" more.btf --update other.o
expect $'zebra\nint\nant' sed -n "s/^\[.*'\(.*\)'.*/\1/p" <("$BTFDEDUP" other.o --dump raw | grep '^\[')

# A module: the base's ids stay, later ones are the module's own.
blob base.btf 'add(INT, "int", 4, 0x1000020); add(FUNC_PROTO, "", 1); add(FUNC, "first", 2, vlen=1); string("second"); string("third"); string("a")'
blob module.btf 'add(INT, 1, 4, 0x1000020); add(STRUCT, 11, 4, 24, 4, 0); add(STRUCT, 18, 4, 24, 1, 0); strings = b""'
objcopy --add-section=.BTF=module.btf plain.o module.ko
"$BTFDEDUP" --base base.btf --update module.ko
expect '5 3 0 3 0 4 5 3 119 3 2 4 3 5 1 ' words module.ko
objcopy --add-section=.BTF=module.btf --add-section=.BTF.base=base.btf plain.o module.ko
"$BTFDEDUP" --update module.ko
expect '5 3 0 3 0 4 5 3 119 3 2 4 3 5 1 ' words module.ko

# In a linked program, symbols have addresses.
ld -e 0 -Ttext=0x400000 ids.o -o linked
"$BTFDEDUP" --update linked
expect '5 3 0 3 0 4 5 3 119 3 2 4 3 5 1 ' words linked

# Errors
bad_ids() {
  local message=$1
  sed "$2" ids.s >bad.s
  as bad.s -o bad-plain.o
  objcopy --add-section=.BTF=types.btf bad-plain.o bad.o
  cp bad.o before.o
  expect_message "btfdedup: error: bad.o: $message" "$BTFDEDUP" --update bad.o
  cmp before.o bad.o
}
bad_ids 'section .BTF_ids: type id 7 at offset 0x0 is out of range, the last is 6' '0,/\.long 6/s//.long 7/'
bad_ids 'section .BTF_ids: the set at offset 0xc has 999 elements, more than its bytes' '/set__plain:/{n;s/3/999/}'
bad_ids 'section .BTF_ids: sets overlap at offset 0x1c' '/set__plain:/{n;s/3/4/}'
bad_ids 'section .BTF_ids has type ids, but no symbols that locate them' 's/__BTF_ID__/other/'
bad_ids "section .BTF_ids: symbol '__BTF_ID__func__odd__9' is at offset 0x1, expected a multiple of 4" \
  '$a .set __BTF_ID__func__odd__9, __BTF_ID__struct__third__1 + 1'
bad_ids 'section .BTF_ids: a type id overlaps the count of the set at offset 0x1c' \
  '$a .set __BTF_ID__func__count__9, __BTF_ID__set8__pairs + 4'
echo '.set __BTF_ID__func__far__9, . + 100' >>ids.s
bad_ids "section .BTF_ids: symbol '__BTF_ID__func__far__9' is outside of it" ''
expect_message 'btfdedup: error: ids.o: has a section .BTF_ids, which would not fit types of other files' \
  "$BTFDEDUP" more.btf --update ids.o
