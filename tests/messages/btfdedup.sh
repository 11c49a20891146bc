#!/bin/bash
# Messages of btfdedup about inputs, the file to update and --explain
. "$(dirname "$0")/common.sh"

# fails MESSAGE ARGUMENT...
fails() { expect_message "btfdedup: error: $1" "$BTFDEDUP" "${@:2}"; }
compile good <<'END'
struct pair { int a, b; };
struct pair p;
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len + p.a; }
END
blob good.btf 'add(INT, "int", 4, 32)'

# Inputs
echo 'int number;' >number.c
"$CC" --target=x86_64 -c number.c -o plain.o
fails 'plain.o: has no section .BTF: compile with -g, with gcc -gbtf' plain.o -o out.o
llvm-ar-19 rc plain.a plain.o number.c
fails 'plain.a: is an archive without BTF: compile with -g, with gcc -gbtf' plain.a -o out.o
fails 'number.c: 12 bytes are too few for a header of 24' number.c -o out.o
fails 'absent: cannot open: No such file or directory' absent -o out.o
fails 'standard input: 0 bytes are too few for a header of 24' - -o out.o <&-
fails 'standard input: 0 bytes are too few for a header of 24' - -o out.o </dev/null
headers=$(printf '%#x' "$(llvm-readelf-19 -h good.o | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')")
head -c 100 good.o >cut.o
fails "cut.o: section headers at offset $headers are outside the file of 0x64 bytes" cut.o -o out.o
printf '\177ELF' >magic.o
fails 'magic.o: is a truncated or damaged ELF file' magic.o -o out.o
size=$(printf '%#x' "$(stat -c %s good.o)")
sections=$(llvm-readelf-19 -h good.o | sed -n 's/.*Number of section headers: *//p')
btf=$(llvm-readelf-19 -SW good.o | sed -n 's/ *\[ *\([0-9]*\)\] \.BTF .*/\1/p')
doctored bad.o header:.BTF:sh_offset=0x7fffff header:.BTF:sh_size=16
fails "bad.o: section '.BTF' at offset 0x7fffff with 0x10 bytes is outside the file of $size bytes" bad.o -o out.o
doctored bad.o header:.BTF:sh_name=0x7fffff
fails "bad.o: name of section $btf is outside the section name table" bad.o -o out.o
doctored bad.o elf:e_shstrndx=200
fails "bad.o: section name table index 200 is out of range, the last is $((sections - 1))" bad.o -o out.o

# Bases
"$CC" --target=bpf -g -c good.bpf.c -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h -include bpf/bpf_helpers.h -o two.o
llvm-ar-19 rc two.a good.o two.o
fails 'two.a(two.o): a base must have exactly one BTF' good.btf --base two.a -o out.o
fails 'number.c: 12 bytes are too few for a header of 24' good.btf --base number.c -o out.o

# --update
fails 'good.btf: is not an ELF file' --update good.btf
cp good.o update.o
fails 'update.o: has a section .BTF.ext, which would not fit types of other files' good.btf --update update.o
cmp good.o update.o
fails 'plain.o: has no section .BTF' good.btf --update plain.o
llvm-objcopy-19 --remove-section=.BTF.ext --remove-section=.rel.BTF --remove-section=.rel.BTF.ext \
  --set-section-flags=.BTF=alloc,readonly good.o loaded.o
blob wide.btf 'add(INT, "i" * 9000, 4, 32)'
old=$(($(llvm-readelf-19 -SW loaded.o | sed 's/\[ *//' | awk '$2 == ".BTF" { print "0x" $6 }')))
fails "loaded.o: section .BTF has $old bytes and is loaded at run time, so 9042 do not fit" wide.btf --update loaded.o
doctored bad.o rel:.rel.BTF:0:r_offset=0x7fffff
fails 'bad.o: section .rel.BTF: relocation at offset 0 is not of a type in .BTF' --update bad.o
doctored bad.o ext:magic=0x1234
fails 'bad.o: .BTF.ext: magic is 0x1234, expected 0xeb9f' --update bad.o

# Symbols, which locate the ids in .BTF_ids
printf '\t.section .BTF_ids,"a"\n__BTF_ID__struct__s__1:\n\t.long 1\n' >ids.s
"$CC" --target=bpf -c ids.s -o ids.o
llvm-objcopy-19 --add-section=.BTF=good.btf ids.o
(
  cp ids.o good.o
  doctored update.o header:.symtab:sh_entsize=17
  fails "update.o: symbol table '.symtab' is malformed" --update update.o
  doctored update.o header:.symtab:sh_link=99
  fails "update.o: symbol table '.symtab' is malformed" --update update.o
  doctored update.o symbol:__BTF_ID__struct__s__1:st_name=0x7fffff
  fails 'update.o: name of symbol 1 is outside its string table' --update update.o
  exit $((mistakes > 0))
) || mistakes=$((mistakes + 1))

# --explain
fails "'class pair' is neither \"NAME\" nor \"struct NAME\" (or union, enum, typedef, func, var)" good.o --explain 'class pair'
fails "no input has a type 'struct absent'" good.o --explain 'struct absent'
echo old >out.btf
fails "no input has a type 'struct absent'" good.o -o out.btf --explain 'struct absent'
expect old cat out.btf
status=0
"$BTFDEDUP" good.o --dump c -o out.btf >/dev/full 2>errors || status=$?
expect 1 echo "$status"
expect 'btfdedup: error: cannot write to standard output' cat errors
expect old cat out.btf
