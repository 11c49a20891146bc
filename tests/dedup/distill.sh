#!/bin/bash
# --distill: split BTF with its own base in .BTF.base, which has only names and sizes of needed types.
. "$(dirname "$0")/common.sh"

# String offsets: int 1, task 5, id 10, state 13, ON 19, run 22, x 26, mine 28
blob base.btf 'add(INT, "int", 4, 0x1000020); add(STRUCT, "task", 4, "id", 1, 0); add(PTR, "", 2); add(ENUM, "state", 4, "ON", 1); add(FUNC_PROTO, "", 1); add(FUNC, "run", 5, vlen=1); string("x"); string("mine")'
blob module.btf 'add(STRUCT, 28, 8, 26, 3, 0); add(TYPEDEF, 10, 7); strings = b""'
want="[2] STRUCT 'mine' size=8 vlen=1
	'x' type_id=4 bits_offset=0
[3] TYPEDEF 'id' type_id=2
[4] PTR '(anon)' type_id=1"
"$BTFDEDUP" --distill --base base.btf module.btf --elf -o out.elf
expect "$want" "$BTFDEDUP" out.elf --dump raw
sections() { readelf -SW "$1" | sed -n 's/.*] \(\.BTF[^ ]*\) .*/\1/p' | tr '\n' ' '; }
expect '.BTF .BTF.base ' sections out.elf
llvm-objcopy-19 --dump-section=.BTF.base=out.base --dump-section=.BTF=out.btf out.elf
expect "[1] STRUCT 'task' size=4 vlen=0" "$BTFDEDUP" out.base --dump raw
[[ $(bpftool btf dump -B out.base file out.btf) == "$want" ]] || fail "$(bpftool btf dump -B out.base file out.btf)"
# --dump shows nothing more of structs that are only names.
expect "$want" "$BTFDEDUP" --distill --base base.btf module.btf --dump raw
"$BTFDEDUP" --distill --base base.btf module.btf --stats >stats
grep -Eq '^types +2 +3$' stats

# In a module: other sections stay, and ids in .BTF_ids are updated; the base has the types they name.
cat >ids.s <<'END'
	.text
	nop
	.section .BTF_ids,"a"
__BTF_ID__set__both:
	.long 3
__BTF_ID__struct__mine__1:
	.long 7
__BTF_ID__enum__state__2:
	.long 4
__BTF_ID__struct__task__3:
	.long 2
END
for class in 64 32; do
  as --$class ids.s -o plain.o
  objcopy --add-section=.BTF=module.btf plain.o module.ko
  cp module.ko updated.ko
  "$BTFDEDUP" --distill --base base.btf --update updated.ko
  expect "[3] STRUCT 'mine' size=8 vlen=1
	'x' type_id=5 bits_offset=0
[4] TYPEDEF 'id' type_id=3
[5] PTR '(anon)' type_id=1" "$BTFDEDUP" updated.ko --dump raw
  objcopy -O binary -j .BTF_ids updated.ko words
  expect '3 1 2 3 ' tr '\n' ' ' <<<"$(od -An -v -tu4 -w4 words | tr -d ' ')"
  readelf -SW updated.ko | has ' \.BTF\.base  *PROGBITS  *0* [0-9a-f]* [0-9a-f]* 00  *0  *0  *4$' ||
    fail "$(readelf -SW updated.ko)"
  names() { readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\) .*/\1/p'; }
  diff <(names module.ko; echo .BTF.base) <(names updated.ko)
  diff <(readelf -sW module.ko) <(readelf -sW updated.ko)
  diff <(objdump -dr module.ko | tail -n +3) <(objdump -dr updated.ko | tail -n +3)
  diff <(eu-elflint module.ko) <(eu-elflint updated.ko) || fail 'eu-elflint finds more'
  # A second merge keeps the module and its .BTF.base.
  cp updated.ko again.ko
  "$BTFDEDUP" --update again.ko
  cmp updated.ko again.ko
done

# The running kernel as the base
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  bpftool btf dump file /sys/kernel/btf/vmlinux >kernel.txt
  end=$(grep -c '^\[' kernel.txt)
  strings=$(od -An -tu4 -j20 -N4 /sys/kernel/btf/vmlinux | tr -d ' ')
  task=$(sed -n "s/^\[\([0-9]*\)\] STRUCT 'task_struct' size=\([0-9]*\).*/\1 \2/p" kernel.txt | head -n 1)
  blob ours.btf "add(PTR, '', ${task% *}); add(STRUCT, $strings, 8, $strings, $((end + 1)), 0); strings = b'our_own_struct\\0'"
  "$BTFDEDUP" --distill --base /sys/kernel/btf/vmlinux ours.btf --elf -o ours.o
  llvm-objcopy-19 --dump-section=.BTF.base=ours.base ours.o
  expect "[1] STRUCT 'task_struct' size=${task#* } vlen=0" "$BTFDEDUP" ours.base --dump raw
  expect "[2] PTR '(anon)' type_id=1
[3] STRUCT 'our_own_struct' size=8 vlen=1
	'our_own_struct' type_id=2 bits_offset=0" "$BTFDEDUP" ours.o --dump raw
fi

# Errors
expect_message 'btfdedup: error: --distill needs --base (see btfdedup --help)' \
  "$BTFDEDUP" --distill module.btf --elf -o out.o
expect_message 'btfdedup: error: --distill and --flatten exclude each other (see btfdedup --help)' \
  "$BTFDEDUP" --distill --flatten --base base.btf module.btf --elf -o out.o
expect_message 'btfdedup: error: --distill makes two sections: -o needs --elf with it (see btfdedup --help)' \
  "$BTFDEDUP" --distill --base base.btf module.btf -o out.o
expect_message 'btfdedup: error: updated.ko: has a section .BTF.base: it is already distilled' \
  "$BTFDEDUP" --distill --base base.btf --update updated.ko
expect_message 'btfdedup: error: updated.ko: has a section .BTF.base: it is already distilled' \
  "$BTFDEDUP" --distill --base base.btf module.btf --update updated.ko
cp module.ko bad.ko # 32 bits: the size of section headers is at offset 46
printf '\x29' | dd of=bad.ko bs=1 seek=46 conv=notrunc status=none
expect_message 'btfdedup: error: bad.ko: section headers have 41 bytes each, expected 40' \
  "$BTFDEDUP" --distill --base base.btf --update bad.ko
blob tag.btf 'add(DECL_TAG, 26, 2, 0); strings = b""'
expect_message "btfdedup: error: out.o: type [7] DECL_TAG 'x' is for a member of type [2] STRUCT 'task' of the base, which has no members when distilled" \
  "$BTFDEDUP" --distill --base base.btf tag.btf --elf -o out.o
sed 's/\.long 4/.long 6/' ids.s >bad.s
as bad.s -o bad.o
objcopy --add-section=.BTF=module.btf bad.o bad.ko
cp bad.ko before.ko
expect_message "btfdedup: error: bad.ko: type [6] FUNC 'run' of the base, which no distilled base can have" \
  "$BTFDEDUP" --distill --base base.btf --update bad.ko
cmp before.ko bad.ko
