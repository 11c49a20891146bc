#!/bin/bash
# Objects as compilers of Rust make them: types whose names are none in C, pointers with names,
# functions of the compiler's own library without types, mangled symbols, a map of the old form, no
# license. They link; what no kernel takes is said; as C, the names are made into some that C has.
. "$(dirname "$0")/common.sh"

names='s/name: "Option_u32"/name: "Option<u32>"/; s/name: "Slice"/name: "\&[u8]"/; s/name: "unsigned int"/name: "u32"/
  s/name: "Arguments"/name: "core::fmt::Arguments"/; s/name: "unwrap"/name: "unwrap<u32>"/
  s/DW_TAG_pointer_type, baseType/DW_TAG_pointer_type, name: "*const u8", baseType/'
shared='struct Option_u32 { unsigned tag, __0; };
struct Slice { unsigned char *data_ptr; unsigned long length; };
struct Arguments { struct Slice pieces; struct Option_u32 width; };
#define HIDDEN __attribute__((noinline, visibility("hidden")))
HIDDEN unsigned unwrap(struct Option_u32 *o) __asm__("_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE");'

compile_renamed main "$names" <<EOF
$shared
struct bpf_map_def { unsigned type, key_size, value_size, max_entries, map_flags, id, pinning; };
__attribute__((section("maps"))) struct bpf_map_def EVENTS = { 2, 4, 8, 1, 0, 0, 0 };
extern struct Arguments ARGS;
__attribute__((nodebug)) HIDDEN void fill(char *p, int c, unsigned long n) { while (n--) { *p++ = c; __asm__ volatile(""); } }
__attribute__((section("xdp"))) int count(void *ctx) {
  char bytes[16];
  fill(bytes, 0, sizeof bytes);
  return ARGS.pieces.length + unwrap(&ARGS.width) + bytes[ARGS.width.tag & 7];
}
EOF
compile_renamed core "$names" <<EOF
$shared
struct Arguments ARGS = {{0, 3}, {1, 4}};
unsigned unwrap(struct Option_u32 *o) { return o->tag ? o->__0 : 0; }
EOF
"$BPFLINK" --verify main.o core.o -o out.o 2>warnings
expect 'bpflink: warning: main.o: libbpf 1.0 and later refuse maps in SEC("maps")
>>> define them in SEC(".maps")
bpflink: warning: kernels refuse types of such names
>>> PTR '"'*const u8'
>>> PTR '*const u8'
>>> STRUCT 'Option<u32>'
>>> and 5 more" cat warnings
changes_nothing 2>/dev/null
no_new_lint main.o core.o
contains 'FUNC GLOBAL HIDDEN .text' cut -d ' ' -f 1-4 <(symbol fill)
contains 'count+0x28 call fill' references

# As C: each struct once, and text that compiles.
"$BTFDEDUP" out.o --dump c >types.h
expect 1 grep -c '^struct Option_u32_ {' types.h
expect 1 grep -c '^struct core__fmt__Arguments {' types.h
"$CC" -Wall -Werror -fsyntax-only -x c types.h

# Conflicting types are told in C.
compile_renamed other "$names" <<<"${shared/tag, __0/tag; long __0} struct Arguments ARGS;
unsigned unwrap(struct Option_u32 *o) { return o->tag; }"
link_fails -q main.o other.o
expect_error "conflicting types of 'ARGS'"
expect_error 'struct core__fmt__Arguments'
