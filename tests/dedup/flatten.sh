#!/bin/bash
# --flatten: a base and all BTF split from it become one blob, which needs no base.
. "$(dirname "$0")/common.sh"

# String offsets: int 1, task 5, id 10, x 13, mine 15; of the second base, from 20 on: state 20
blob base.btf 'add(INT, "int", 4, 0x1000020); add(FWD, "task", 0); add(PTR, "", 2); string("id"); string("x"); string("mine")'
blob second.btf 'add(STRUCT, 20, 4, 13, 1, 0); strings = b"state\0"'
# Two modules split from base.btf: `a` defines a struct that the base declares; both have their own struct.
blob a.btf 'add(STRUCT, 5, 4, 10, 1, 0); add(PTR, "", 4); add(STRUCT, 15, 4, 13, 1, 0); strings = b""'
blob b.btf 'add(STRUCT, 15, 4, 13, 1, 0); add(VAR, 20, 4, 1); strings = b"b_var\0"'

"$BTFDEDUP" --flatten --base base.btf a.btf b.btf -o all.btf
flat="[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
[2] STRUCT 'task' size=4 vlen=1
	'id' type_id=1 bits_offset=0
[3] PTR '(anon)' type_id=2
[4] STRUCT 'mine' size=4 vlen=1
	'x' type_id=1 bits_offset=0
[5] VAR 'b_var' type_id=4, linkage=global"
expect "$flat" "$BTFDEDUP" all.btf --dump raw
expect "$flat" bpftool btf dump file all.btf
"$BTFDEDUP" all.btf -o again.btf
cmp all.btf again.btf
for threads in 1 2 3; do
  "$BTFDEDUP" --flatten --base base.btf a.btf b.btf -o again.btf --threads $threads
  cmp all.btf again.btf
done

# If nothing of the base is merged, its ids stay, even in a chain of bases.
blob c.btf 'add(PTR, "", 4); strings = b""'
"$BTFDEDUP" --flatten --base base.btf --base second.btf c.btf -o chain.btf
expect "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
[2] FWD 'task' fwd_kind=struct
[3] PTR '(anon)' type_id=2
[4] STRUCT 'state' size=4 vlen=1
	'x' type_id=1 bits_offset=0
[5] PTR '(anon)' type_id=4" "$BTFDEDUP" chain.btf --dump raw

# Other options treat the base as an input.
"$BTFDEDUP" --flatten --base base.btf a.btf b.btf --elf --sort -o all.o
expect $'b_var\nint\nmine\ntask' sed -n "s/^\[.*'\([a-z_]*\)'.*/\1/p" <("$BTFDEDUP" all.o --dump raw | grep '^\[')
expect "struct task is one type

[2] from 2 inputs: base.btf, a.btf
struct task {
	int id;
};
struct task
  kept by       a pointer that nothing refers to
  from          a.btf
  bytes         44" "$BTFDEDUP" --flatten --base base.btf a.btf b.btf --explain 'struct task'
"$BTFDEDUP" --flatten --base base.btf a.btf b.btf --stats >stats
grep -Eq '^blobs +3 +1$' stats
grep -Eq '^types +8 +5$' stats
"$BTFDEDUP" --flatten --base base.btf a.btf b.btf --size-map page.html
grep -q 'base.btf' page.html
"$BTFDEDUP" --flatten --base base.btf a.btf b.btf --print-sizes >sizes
grep -Eq '^ +[0-9]+  base.btf$' sizes
"$BTFDEDUP" --flatten --base base.btf a.btf b.btf --dump c >types.h
compiles types.h
grep -q 'struct mine {' types.h

# The running kernel's types with a module of our own
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  end=$(bpftool btf dump file /sys/kernel/btf/vmlinux | grep -c '^\[')
  strings=$(od -An -tu4 -j20 -N4 /sys/kernel/btf/vmlinux | tr -d ' ')
  blob module.btf "add(STRUCT, $strings, 8, $strings, $((end + 2)), 0); add(PTR, '', 1); strings = b'our_own_struct\\0'"
  "$BTFDEDUP" --flatten --base /sys/kernel/btf/vmlinux module.btf -o kernel.btf
  bpftool btf dump file kernel.btf >kernel.txt
  grep -q "STRUCT 'our_own_struct' size=8" kernel.txt
  bpftool btf dump file /sys/kernel/btf/vmlinux | sed -n "s/^\[[0-9]*\] \([A-Z]*\) '\([^']*\)'.*/\1 \2/p" | sort -u >base.names
  sed -n "s/^\[[0-9]*\] \([A-Z]*\) '\([^']*\)'.*/\1 \2/p" kernel.txt | sort -u >all.names
  # Every name of the base is there, except declarations that became definitions.
  missing=$(comm -23 <(grep -v '^FWD ' base.names) all.names)
  [[ -z $missing ]] || fail "missing: $missing"
  "$BTFDEDUP" kernel.btf -o again.btf
  cmp kernel.btf again.btf
fi

# Errors
objcopy_module() { objcopy --add-section=.BTF=second.btf --add-section=.BTF.base=base.btf plain.o "$1"; }
echo 'int number;' | gcc -x c -c - -o plain.o
objcopy_module new.ko
expect_message 'btfdedup: error: --flatten needs --base (see btfdedup --help)' \
  "$BTFDEDUP" --flatten new.ko -o out.o
expect_message 'btfdedup: error: --flatten and --update exclude each other (see btfdedup --help)' \
  "$BTFDEDUP" --flatten --base base.btf --update new.ko
expect_message 'btfdedup: error: new.ko: its section .BTF.base has structs without members, which --flatten cannot complete' \
  "$BTFDEDUP" --flatten --base new.ko c.btf -o out.o
expect_message 'btfdedup: error: new.ko: PTR of its .BTF.base is not in the kernel' \
  "$BTFDEDUP" --flatten --base base.btf new.ko -o out.o
