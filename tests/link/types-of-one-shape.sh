#!/bin/bash
# Types that conflict in C, but not for libbpf's linker: the link succeeds with a warning as
# detailed as the error. The definition's type stays.
. "$(dirname "$0")/common.sh"

# pair A B [USE]: compiles a.o, which declares and uses v, and b.o with the other declaration
pair() {
  compile a -w <<<"$1
SEC(\"socket\") long prog(void *ctx) { return ${3:-(long)v}; }"
  compile b -w <<<"$2"
}

# passes A B [USE]: the peer links both, and so does bpflink, with a warning
passes() {
  local order
  pair "$@"
  for order in 'a.o b.o' 'b.o a.o'; do
    bpftool gen object peer.o $order || fail "the peer refuses it: $1"
    "$BPFLINK" --verify $order -o out.o 2>errors || fail "no link of: $1"$'\n'"$(<errors)"
    expect_error ": warning: conflicting types of 'v'"
    [[ $(grep -cE '^>>> +(declared|defined) in ' errors) == 2 ]] || fail "not both are shown: $(<errors)"
    refused "conflicting types of 'v'" --fatal-warnings $order
  done
}

# conflicts A B [USE]: an error of both linkers
conflicts() {
  pair "$@"
  ! bpftool gen object peer.o a.o b.o 2>peer.errors >&2 || fail "the peer links it: $1"
  refused ": error: conflicting types of 'v'" a.o b.o
  refused ": error: conflicting types of 'v'" b.o a.o
}

# Integers and floats: sizes must agree
passes 'const volatile __u32 v __weak;' 'const volatile int v __weak;'
passes 'extern char v;' '_Bool v;'
passes 'typedef int T; extern const volatile T v;' 'typedef unsigned U; const volatile U v = 1;'
conflicts 'extern int v;' 'long v;'
conflicts 'extern float v;' 'double v;' '(long)&v'

# Enumerations: names and sizes must agree
passes 'enum e { A, B }; extern enum e v;' 'enum e { A, C, D }; enum e v;'
conflicts 'enum e { A }; extern enum e v;' 'enum f { A }; enum f v;'
conflicts 'enum e { A, B }; extern enum e v;' 'enum e { A, B = 1ull << 40 }; enum e v;'

# Arrays: their elements must agree
passes 'extern int v[4];' 'int v[8];' 'v[1]'
passes 'int v[4] __weak;' 'unsigned v[8] __weak;' 'v[1]'
conflicts 'extern int v[4];' 'char v[8];' 'v[1]'

# Pointers: their pointees must agree, but not the members of these
passes 'extern int *v;' 'unsigned *v;'
passes 'extern struct { int x; } *v;' 'struct { int y; } *v; int f(void) { return v->y; }' 'v->x'
passes 'extern int (*v)(int);' 'int (*v)(unsigned);'
conflicts 'extern int *v;' 'long *v;'
conflicts 'extern void *v;' 'long *v;'
conflicts 'struct a { int x; }; extern struct a *v;' 'struct b { int x; }; struct b *v;' 'v->x'
conflicts 'struct a; extern struct a *v;' 'union a { int x; }; union a *v; int f(void) { return v->x; }'

# Structs and unions: names, offsets and types of members must agree
passes 'struct a { int x; }; extern struct a v;' 'struct a { unsigned x; }; struct a v;' 'v.x'
passes 'struct a { int x : 3, y : 5; }; extern struct a v;' 'struct a { unsigned x : 3; int y : 5; }; struct a v;' 'v.x'
passes 'struct a { int z, x[2]; }; extern struct a v;' 'struct a { int z, x[0]; }; struct a v;' 'v.x[0]'
passes 'struct a { struct a *n; int x; }; extern struct a v;' 'struct a { struct a *n; unsigned x; }; struct a v;' 'v.x'
passes 'union a { int x; unsigned y; }; extern union a v;' 'union a { int x, y; }; union a v;' 'v.x'
conflicts 'struct a { int x; }; extern struct a v;' 'struct a { int y; }; struct a v;' 'v.x'
conflicts 'struct a { int x, y; }; extern struct a v;' 'struct a { int x; } __attribute__((aligned(8))); struct a v;' 'v.x'
conflicts 'struct a { int *x; }; extern struct a v;' 'struct a { long *x; }; struct a v;' '(long)v.x'
conflicts 'struct a { int x; }; extern struct a v;' 'union a { int x; }; union a v;' 'v.x'

# Functions: the number and types of parameters and the return type must agree
passes 'int v(int);' 'int v(unsigned x) { return 1; }' 'v(1)'
conflicts 'int v(int);' 'int v(int x, int y) { return 1; }' 'v(1)'
conflicts 'int v(int);' 'int v(long x) { return 1; }' 'v(1)'
conflicts 'long v(int);' 'int v(int x) { return 1; }' 'v(1)'
conflicts 'int v(void *);' 'int v(long *x) { return 1; }' 'v(0)'
conflicts 'int v(int);' 'int v;' 'v(1)'

# maps VERDICT ATTRIBUTES ATTRIBUTES: a.o declares the map extern with the first attributes, with
# another `enum e` and `struct s` than b.o
use='({ int key = 0; !!bpf_map_lookup_elem(&v, &key); })'
maps() {
  $1 "enum e { A }; struct s { int a; }; extern struct { $2 } v SEC(\".maps\");" \
    "enum e { B }; struct s { unsigned a; }; struct { $3 } v SEC(\".maps\");" "$use"
}
array='__uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);'
maps passes "$array __type(key, int); __type(value, long);" "$array __type(key, __u32); __type(value, long);"
maps passes "$array __type(key, int); __type(value, enum e);" "$array __type(key, int); __type(value, enum e);"
maps passes "$array __type(key, int); __type(value, struct s);" "$array __type(key, int); __type(value, struct s);"
maps passes "$array __type(key, int); __type(value, int); __uint(map_flags, 0);" "$array __type(key, int); __type(value, int);"
maps conflicts "$array __type(key, int); __type(value, int[4]);" "$array __type(key, int); __type(value, int[8]);"
maps conflicts "${array/ARRAY/HASH} __type(key, int); __type(value, int);" "$array __type(key, int); __type(value, int);"
maps conflicts "$array __type(key, int); __type(value, int); __uint(map_flags, 1);" "$array __type(key, int); __type(value, int);"
outer='__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 2); __type(key, int);'
maps passes "$outer __array(values, struct { $array __type(key, int); __type(value, int); });" \
  "$outer __array(values, struct inner { $array __type(key, int); __type(value, unsigned); __uint(map_flags, 0); });"
maps conflicts "$outer __array(values, struct { $array __type(key, int); __type(value, int); });" \
  "$outer __array(values, struct { $array __type(key, int); __type(value, int); __uint(map_flags, 4); });"
programs='__uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 2); __type(key, int);'
use="(bpf_tail_call(ctx, &v, 0), 0)"
maps passes "$programs __array(values, int(void *));" "$programs __array(values, int(struct xdp_md *));"
