#!/bin/bash
# Errors in an input's symbol table
. "$(dirname "$0")/common.sh"

compile good <<'END'
int v = 3;
static __attribute__((noinline)) int twice(int x) { return 2 * x + v; }
SEC("socket") int prog(struct __sk_buff *ctx) { return twice(ctx->len); }
END
llvm-objcopy-19 --strip-debug good.o
"$BPFLINK" good.o -o linked.o || fail 'good.o is not good'
last=$(($(llvm-readelf-19 -h good.o | sed -n 's/.*Number of section headers: *//p') - 1))
size() { llvm-readelf-19 -SW good.o | sed 's/\[ *//' | awk -v name="$1" '$2 == name { print $6 }' | sed 's/^0*/0x/'; }

bad 'has no symbol table' header:.symtab:sh_type=3
bad "symbol table has $(size .symtab) bytes with entries of 23, expected entries of 24" header:.symtab:sh_entsize=23
bad 'symbol table has 0x19 bytes with entries of 24, expected entries of 24' header:.symtab:sh_size=25
bad "symbol table's string table index 99 is not a string table's" header:.symtab:sh_link=99
bad "symbol table's string table index 3 is not a string table's" header:.symtab:sh_link=3
bad 'extended section index table is shorter than the symbol table' header:.data:sh_type=18 header:.data:sh_entsize=4
bad 'name of symbol 1 is outside the string table' symbol:1:st_name=0x7fffffff
bad "symbol 'v' has unknown binding 3" symbol:v:st_info=0x31
v=$(llvm-readelf-19 -sW good.o | sed -n 's/: .* v$//p' | tr -d ' ')
bad "global symbol $v has no name" symbol:v:st_name=0
bad "symbol 'v' is a common symbol: compile with -fno-common" symbol:v:st_shndx=0xfff2
bad "symbol 'v' is in section 99, the last is $last" symbol:v:st_shndx=99
bad "symbol 'v' is in section 65503, the last is $last" symbol:v:st_shndx=0xffdf
bad "function 'prog' at 0x4 with 0x8 bytes does not consist of instructions" symbol:prog:st_value=4 symbol:prog:st_size=8
bad "function 'prog' at 0x0 with 0xc bytes does not consist of instructions" symbol:prog:st_size=12
bad "function 'prog' at 0x8 with 0x8 bytes does not consist of instructions" symbol:prog:st_value=8 symbol:prog:st_size=8 bytes:socket:8=0
bad "symbol 'v' at 0x0 with 0x8 bytes is outside its section '.data' of 0x4 bytes" symbol:v:st_size=8
bad "symbol 'v' at 0x5 with 0x0 bytes is outside its section '.data' of 0x4 bytes" symbol:v:st_value=5 symbol:v:st_size=0

# objcopy renames symbols without their types. A symbol that it made local keeps its variable.
llvm-objcopy-19 --redefine-sym v=w good.o renamed.o
id=$(bpftool btf dump file good.o | sed -n "s/^\[\(.*\)\] VAR 'v'.*/\1/p")
why=".BTF: type [$id] VAR 'v' is global, but there is no such symbol
>>> objcopy renames symbols without their types: bpflink --redefine-sym does both"
bad "$why" symbol:v:st_shndx=0xfff1 # a number is no variable
why="error: renamed.o: $why"
expect_message "bpflink: $why" "$BPFLINK" renamed.o -o out.o
expect_message "bpfskel: $why" "$BPFSKEL" renamed.o
"$BPFCORE" check renamed.o good.o 2>errors && mistake 'bpfcore accepts it'
[[ $(<errors) == "bpfcore: $why" ]] || mistake "bpfcore: $(<errors)"
llvm-objcopy-19 --localize-symbol v good.o local.o
"$BPFLINK" local.o -o out.o || mistake 'a local variable does not link'
