#!/bin/bash
# The same types give the same output from any kind of input: raw BTF, ELF files of any machine,
# archives, standard input, a list of files.
. "$(dirname "$0")/common.sh"

two_objects
"$BTFDEDUP" a.btf b.btf -o want.btf
expect $'1 __sk_buff\n1 node\n1 other\n1 xdp_md' structs want.btf

# same ARGUMENT...: btfdedup ARGUMENT... gives the output of a.btf and b.btf
same() {
  "$BTFDEDUP" "$@" -o got.btf || fail "btfdedup $* fails"
  cmp want.btf got.btf
}
same a.o b.o
same a.btf b.o
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o x86.o
llvm-objcopy-19 --add-section=.BTF=a.btf x86.o a-x86.o
same a-x86.o b.o
llvm-ar-19 rc objects.a a.o x86.o b.o
same objects.a
llvm-ar-19 rcT thin.a a.o x86.o b.o
same thin.a
mkdir elsewhere
(cd elsewhere && "$BTFDEDUP" ../thin.a -o ../got.btf)
cmp want.btf got.btf
same - b.btf <a.btf
same <(cat a.btf) b.o
same a.o <(cat b.o)
same - b.btf <a.o
same - <objects.a
printf '%s\n' a.o b.o >list
same @list
printf '%s' 'a.o' >first
same @first b.o

# The output has the first input's byte order.
compile big --target=bpfeb <b.bpf.c
llvm-objcopy-19 --dump-section=.BTF=big.btf big.o
bytes_of() { od -An -tx1 -N 2 "$1" | sed 's/^ //'; }
"$BTFDEDUP" big.o a.o -o got.btf
expect 'eb 9f' bytes_of got.btf
"$BTFDEDUP" a.o big.o -o got.btf
expect '9f eb' bytes_of got.btf
expect $'1 __sk_buff\n1 node\n1 other\n1 xdp_md' structs got.btf
