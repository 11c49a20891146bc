#!/bin/bash
# --verify: its messages about outputs that break a rule. The linker writes none, so the case changes
# a good output and checks it with the function that --verify calls.
. "$(dirname "$0")/common.sh"

FIND_FAULTS=$(realpath "${FIND_FAULTS:?the program that calls find_faults()}")
compile a <<'END'
struct data { int a, b; } __attribute__((preserve_access_index));
int first = 3, second = 4;
static volatile int hidden = 5;
static __attribute__((noinline)) int twice(int x) { return 2 * x + hidden; }
__attribute__((noinline)) int pick(struct data *d) { return d->a + d->b + second; }
int *pointers[2] = {&first, &second};
SEC("socket") int prog(struct __sk_buff *ctx) {
  struct data d = {ctx->len, first};
  return twice(ctx->mark) + pick(&d) + *pointers[ctx->len & 1] + __builtin_btf_type_id(*(struct data *)0, 0);
}
END
"$BPFLINK" --verify --no-check-pointers a.o -o good.o
"$FIND_FAULTS" good.o || fail 'a good output has faults'

# faulty FAULT PLACE=VALUE...: good.o with numbers changed has these faults, one a line
faulty() {
  local fault=$1
  shift
  doctored bad.o "$@"
  expect_message "$fault" "$FIND_FAULTS" bad.o
}

# Symbols and sections
faulty "local symbol 'prog' follows a global one" symbol:prog:st_info=2
faulty "symbol 'second' occurs twice
VAR 'second' at .data+0x4 with 0x4 bytes has no such symbol" "symbol:pick:st_name=number('symbol:second:st_name')"
faulty "the symbol table's sh_info is 1, but the first global symbol is 7" header:.symtab:sh_info=1
faulty "section 'socket' occurs twice" "header:.data:sh_name=number('header:socket:sh_name')" btf:type_len=0 ext:func_info_len=0 \
  ext:line_info_len=0 ext:core_relo_len=0
faulty "relocation section '.relsocket' does not name the symbol table" header:.relsocket:sh_link=1
faulty 'section 2 has two relocation sections' "header:.rel.data:sh_info=section('socket')" rel:.rel.data:0:r_type=0 \
  rel:.rel.data:1:r_type=0

# Variables
faulty "DATASEC '.data' occurs twice" type:29:kind=15 "type:29:name=string('.data')" type:29:kflag=0 type:29:size=28
faulty "VAR 'first' at .data+0x4 with 0x4 bytes has no such symbol
VAR 'first' is listed twice
VAR 'second' is in no DATASEC" "type:.data:6=type('first')"
faulty "VAR 'hidden' is in no DATASEC" type:.data:vlen=3 'btf:type_len=old - 12'
faulty "DATASEC '.data' has 0x8 bytes, but its section 0x1c" type:.data:size=8
faulty "VAR 'first' is in DATASEC 'data', which has no section
VAR 'second' is in DATASEC 'data', which has no section
VAR 'pointers' is in DATASEC 'data', which has no section
VAR 'hidden' is in DATASEC 'data', which has no section" "type:.data:name=string('data')"
faulty "VAR 'second' at .data+0x2 overlaps the variable before it, which ends at 0x4
VAR 'second' at .data+0x2 with 0x4 bytes has no such symbol" type:.data:7=2
faulty "VAR 'hidden' at .data+0x18 with 0x40 bytes extends beyond the section" type:.data:14=0x40
faulty "VAR 'first' at .data+0x0 with 0x4 bytes has no such symbol" symbol:first:st_value=8

# .BTF.ext
faulty "func_info has two blocks for section '.text'
func_info has .text+0x0 behind 0x40" "ext:func_info:1:sec_name_off=string('.text')"
faulty 'line_info has .text+0x0 behind 0x0' ext:line_info:0:1:insn_off=0
faulty "instruction at socket+0xc0 has type id 2, but its core_relo record 3" ext:core_relo:1:2:type_id=3

# Faults that inputs may not have either
faulty "relocation R_BPF_64_ABS64 at .data+0xc overlaps the one before it" rel:.rel.data:1:r_offset=12
