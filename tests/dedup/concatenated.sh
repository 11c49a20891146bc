#!/bin/bash
# A .BTF that is several concatenated blobs, as linkers without BTF support make it: each is a unit.
. "$(dirname "$0")/common.sh"

for name in a b c; do
  cat >$name.c <<EOF2
struct node { struct node *next; int value; };
struct only_$name { struct node *node; char more[${#name}]; };
struct only_$name of_$name;
int get_$name(struct node *node) { return node ? node->value : of_$name.more[0]; }
EOF2
  gcc -gbtf -O1 -c $name.c -o $name.o
done
echo 'nop' | as -o asm.o -
ld -r a.o asm.o b.o c.o -o all.o
"$BTFDEDUP" a.o b.o c.o -o want.btf
expect $'1 node\n1 only_a\n1 only_b\n1 only_c' structs want.btf
"$BTFDEDUP" all.o -o got.btf
cmp want.btf got.btf

# --update leaves one blob, which bpftool reads.
cp all.o updated.o
"$BTFDEDUP" --update updated.o
expect $'1 node\n1 only_a\n1 only_b\n1 only_c' structs updated.o
"$BTFDEDUP" updated.o -o got.btf
cmp want.btf got.btf
"$BTFDEDUP" --update updated.o
"$BTFDEDUP" updated.o -o got.btf
cmp want.btf got.btf

# Raw BTF with padding between and after blobs; --explain names the units.
objcopy -O binary -j .BTF --set-section-flags .BTF=alloc a.o a.btf
objcopy -O binary -j .BTF --set-section-flags .BTF=alloc b.o b.btf
objcopy -O binary -j .BTF --set-section-flags .BTF=alloc c.o c.btf
at=$(($(stat -c %s a.btf) + 5))
{ cat a.btf; printf '\0\0\0\0\0'; cat b.btf c.btf; printf '\0\0\0'; } >all.btf
"$BTFDEDUP" all.btf -o got.btf --explain 'struct only_b' >explained
cmp want.btf got.btf
grep -F "all.btf(+$(printf %#x $at))" explained >/dev/null || fail "$(<explained)"

# Text and truncated BTF after a blob
{ cat a.btf; echo text; } >bad.btf
expect_message "btfdedup: error: bad.btf: at offset $(stat -c %s a.btf), after a blob of BTF: 5 bytes are too few for a header of 24" \
  "$BTFDEDUP" bad.btf -o out.o
{ cat a.btf; head -c -1 b.btf; } >bad.btf
"$BTFDEDUP" bad.btf -o out.btf 2>errors && fail 'a blob that is cut off is read'
grep -F "btfdedup: error: bad.btf: at offset $(stat -c %s a.btf), after a blob of BTF: string section at offset" errors >/dev/null ||
  fail "$(<errors)"
blob good.btf 'add(INT, "int", 4, 32)'
blob odd.btf 'add(PTR, "", 9)'
cat good.btf odd.btf >bad.btf
expect_message "btfdedup: error: bad.btf(+$(printf %#x "$(stat -c %s good.btf)")): type [1] PTR: refers to type id 9, but the last is 1" \
  "$BTFDEDUP" bad.btf -o out.o

# Sections that refer to types by id fit one unit only.
compile good <<'EOF'
SEC("socket") int prog(void *ctx) { return 1; }
EOF
cat good.btf good.btf >two.btf
objcopy -I elf64-little -O elf64-little --add-section=.more=two.btf good.o bad.o 2>/dev/null ||
  llvm-objcopy-19 --add-section=.more=two.btf good.o bad.o
llvm-objcopy-19 --remove-section=.BTF --remove-section=.rel.BTF bad.o
llvm-objcopy-19 --rename-section=.more=.BTF bad.o
expect_message 'btfdedup: error: bad.o: has a section .BTF.ext, which would not fit types of several units' \
  "$BTFDEDUP" --update bad.o
