#!/bin/bash
# Output as raw BTF, as ELF, to standard output. It is complete or absent, and merging it again does
# not change it.
. "$(dirname "$0")/common.sh"

two_objects
"$BTFDEDUP" a.o b.o -o want.btf
"$BTFDEDUP" want.btf -o again.btf
cmp want.btf again.btf

"$BTFDEDUP" a.o b.o --elf -o out.elf
llvm-objcopy-19 --dump-section=.BTF=got.btf out.elf /dev/null
cmp want.btf got.btf
llvm-readelf-19 -h out.elf | grep -E 'Machine: +EM_BPF' >/dev/null
"$BTFDEDUP" a.btf b.btf --elf -o out.elf
llvm-readelf-19 -h out.elf | grep -E 'Machine: +EM_BPF' >/dev/null
echo 'int number;' | "$CC" --target=i386 -x c -c - -o i386.o
llvm-objcopy-19 --add-section=.BTF=a.btf i386.o
"$BTFDEDUP" i386.o b.o --elf -o out.elf
llvm-readelf-19 -h out.elf | grep -E 'Class: +ELF32' >/dev/null
llvm-readelf-19 -h out.elf | grep -E 'Machine: +Intel 80386' >/dev/null
"$BTFDEDUP" out.elf -o got.btf
cmp want.btf got.btf

"$BTFDEDUP" a.o b.o -o - | cmp - want.btf
"$BTFDEDUP" a.o b.o -o /dev/stdout | cmp - want.btf

# It writes through links; link/replaced-target.sh and messages/outputs.sh have the rest.
echo old >out.btf
ln -s out.btf link.btf
"$BTFDEDUP" a.o b.o -o link.btf
[[ -L link.btf ]] || fail 'the link was replaced'
cmp want.btf out.btf
