#!/bin/bash
# Errors in an input's relocations
. "$(dirname "$0")/common.sh"

compile good <<'END'
int v = 3;
int *p = &v;
int f(int x);
SEC("socket") int prog(struct __sk_buff *ctx) { return f(ctx->len) + v; }
__attribute__((noinline)) int f(int x) { return x * *p; }
END
llvm-objcopy-19 --strip-debug good.o
"$BPFLINK" --no-check-pointers good.o -o linked.o || fail 'good.o is not good'
last=$(($(llvm-readelf-19 -h good.o | sed -n 's/.*Number of section headers: *//p') - 1))
symbols=$(($(llvm-readelf-19 -sW good.o | grep -c '^ *[0-9]*:') - 1))
size() { llvm-readelf-19 -SW good.o | sed 's/\[ *//' | awk -v name="$1" '$2 == name { print $6 }' | sed 's/^0*/0x/'; }

bad "relocation section '.relsocket' is for section 0, the last is $last" header:.relsocket:sh_info=0
bad "relocation section '.relsocket' is for section 99, the last is $last" header:.relsocket:sh_info=99
bad "relocation section '.relsocket' has $(size .relsocket) bytes with entries of 17, expected entries of 16" \
  header:.relsocket:sh_entsize=17
bad "relocation section '.relsocket' has 0x18 bytes with entries of 16, expected entries of 16" header:.relsocket:sh_size=24
bad "relocation section '.relsocket' has $(size .relsocket) bytes with entries of 16, expected entries of 24" header:.relsocket:sh_type=4
bad "relocation section '.rel.data' is for a section without bytes" header:.data:sh_type=8
bad "relocation at socket+0x8 has unknown type 77" rel:.relsocket:0:r_type=77
bad "relocation R_BPF_64_32 at socket+0x1000 is outside its section of $(size socket) bytes" rel:.relsocket:0:r_offset=0x1000
bad "relocation at socket+0x8 refers to symbol 99, the last is $symbols" rel:.relsocket:0:r_sym=99
bad "relocation at socket+0x8 refers to symbol 0, the last is $symbols" rel:.relsocket:0:r_sym=0
bad "relocation R_BPF_64_32 at socket+0x0 is not at an instruction of its type" rel:.relsocket:0:r_offset=0
bad "relocation R_BPF_64_ABS64 at socket+0x8 is not at an instruction of its type" rel:.relsocket:0:r_type=2
bad "relocation R_BPF_64_32 at .data+0x8 is for an instruction, but the section is not code" rel:.rel.data:0:r_type=10
bad "relocation R_BPF_64_32 at socket+0x8 overlaps the one before it" rel:.relsocket:1:r_offset=8 rel:.relsocket:1:r_type=10
