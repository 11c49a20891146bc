#!/bin/bash
# Inputs that are no BPF objects: the message says what they are.
. "$(dirname "$0")/common.sh"

compile good <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
END
: >empty
printf 'BC\xc0\xde' >bitcode.o
printf '\xde\xc0\x17\x0b' >wrapped-bitcode.o
echo 'int number;' >text.c
printf 'a\0b' >data
printf '\177ELF' >magic.o
head -c 63 good.o >head.o
mkdir directory
mkfifo fifo

# foreign FILE WHAT
foreign() { expect_message "bpflink: error: $1: $2" "$BPFLINK" "$1" -o out.o; }
foreign empty 'is not a BPF object but: empty file (compile it again)'
foreign bitcode.o 'is not a BPF object but: LLVM bitcode (compile without -flto and -emit-llvm)'
foreign wrapped-bitcode.o 'is not a BPF object but: LLVM bitcode (compile without -flto and -emit-llvm)'
foreign text.c 'is not a BPF object but: text file (compile it first)'
foreign data 'is not a BPF object but: file of unknown format'
foreign magic.o 'is not a BPF object but: truncated ELF file'
foreign head.o 'is not a BPF object but: truncated ELF file'
foreign directory 'is a directory: give the objects in it'
foreign fifo 'is not a BPF object but: empty file (compile it again)'
foreign /dev/null 'is neither a regular file nor a pipe'
foreign absent.o 'cannot open: No such file or directory'

# What is made of objects, and given in their place
skeleton='is not a BPF object but: skeleton, which has an object in it (link that object, or those it was made of)'
bpftool gen skeleton good.o >peer.skel.h
"$BPFSKEL" good.o -o good.skel.h
"$BPFSKEL" --rust good.o -o good.rs
for file in peer.skel.h good.skel.h good.rs; do foreign $file "$skeleton"; done
"$BTFDEDUP" good.o -o good.btf
foreign good.btf 'is not a BPF object but: raw BTF, types without code (btfdedup merges it)'
printf '\353\237\1' >big.btf
foreign big.btf 'is not a BPF object but: raw BTF, types without code (btfdedup merges it)'
printf '\353' >byte
foreign byte 'is not a BPF object but: file of unknown format'

bad 'is not a BPF object but: ELF file of unknown byte order' file:5=3
bad 'is not a BPF object but: ELF file of unknown version' file:6=0
bad 'is not a BPF object but: 32-bit BPF object' file:4=1
bad 'is not a BPF object but: unknown-bit BPF object' file:4=3
bad 'is not a BPF object but: BPF executable' elf:e_type=2
bad 'is not a BPF object but: BPF shared object' elf:e_type=3
bad 'is not a BPF object but: BPF core file' elf:e_type=4
bad 'is not a BPF object but: BPF file of unknown ELF type' elf:e_type=9
while read -r number name; do
  bad "is not a BPF object but: $name object (compile with --target=bpf)" "elf:e_machine=$number"
done <<'END'
3 i386
62 x86-64
40 ARM
183 AArch64
243 RISC-V
21 PowerPC64
22 s390
8 MIPS
263 machine 263
END

# Members of archives
llvm-ar-19 rc text.a text.c
foreign text.a 'is an archive without BPF objects: make it of what clang --target=bpf compiled'
llvm-ar-19 rc inner.a text.a
foreign inner.a 'is an archive without BPF objects: make it of what clang --target=bpf compiled'
"$BPFLINK" -v good.o text.a -o out.o 2>errors || [[ $? == 1 ]]
expect_error 'bpflink: text.a(text.c): not a BPF object but text file (compile it first)'
"$BPFLINK" -v good.o inner.a -o out.o 2>errors || [[ $? == 1 ]]
expect_error 'bpflink: inner.a(text.a): not a BPF object but archive'

# Byte order
compile big --target=bpfeb <<'END'
SEC("socket") int other(void *ctx) { return 1; }
END
expect_message 'bpflink: error: big.o: is big-endian, but good.o is little-endian (compile all for one --target)' "$BPFLINK" good.o big.o -o out.o
expect_message 'bpflink: error: good.o: is little-endian, but big.o is big-endian (compile all for one --target)' "$BPFLINK" big.o good.o -o out.o

# Nothing to link
llvm-ar-19 rc unneeded.a good.o
expect_message 'bpflink: error: no input files: no member of an archive is needed' "$BPFLINK" unneeded.a -o out.o
