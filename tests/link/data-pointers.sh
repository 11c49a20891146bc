#!/bin/bash
# No loader fills in pointers in data, so a program that reads one is an error; also where another file
# has the variable. A pointer that nothing reads, those of maps and struct_ops variables, and partial
# links are as ever.
. "$(dirname "$0")/common.sh"

compile names <<'EOS'
const char *names[] = {"one", "two"};
static int table[4];
static int *second = &table[1];
static int *unread = &table[2];
int *const volatile alone __attribute__((used)) = &table[3];
SEC("socket") int reads(struct __sk_buff *ctx) { const char *name = names[ctx->len & 1]; return name ? name[0] : 0; }
SEC("socket") int follows(void *ctx) { table[0] = 1; barrier_var(second); return second ? *second : 0; }
EOS
refused "names.bpf.c:1: error: a program reads a pointer in 'names'" names.o
expect_error 'names.bpf.c:3: error: a program reads a pointer in'
expect_error 'no loader fills in the address of table: programs would read 4'
expect_error '>>> for strings, use an array of arrays, char names[][8]; for others, an index'
expect_error '>>> --no-check-pointers links it, for user space that sets it'
[[ $(grep -c ': error: ' errors) == 2 ]] || fail "$(<errors)"

"$BPFLINK" --no-check-pointers names.o -o out.o 2>errors
grep -qxF "names.bpf.c:1: warning: a program reads a pointer in 'names'" errors || fail "$(<errors)"
[[ $(grep -c ': warning: a program reads a pointer in' errors) == 2 ]] || fail "$(<errors)"
"$BPFLINK" -r names.o -o out.o 2>errors
[[ ! -s errors ]] || fail "$(<errors)"

# The variable is of another file.
compile table <<<'static int value = 3; int *pointer = &value;'
compile user <<<'extern int *pointer; SEC("socket") int prog(void *ctx) { return pointer ? *pointer : 0; }'
refused "table.bpf.c:1: error: a program reads a pointer in 'pointer'" user.o table.o
expect_error 'referenced by user.bpf.c:1'
facts user.o table.o | has '^error not-loadable pointer' || fail "$(facts user.o table.o)"

# Without BTF and symbols
compile bare -g0 <<<'static const char *const texts[] = {"one", "two"}; SEC("socket") int prog(struct __sk_buff *ctx) { return texts[ctx->len & 1][0]; }'
"$BPFLINK" -r -x bare.o -o stripped.o 2>errors
refused 'error: a program reads a pointer in' -q stripped.o

# What loaders do fill in
compile filled <<'EOS'
struct inner { __uint(type, 2); __type(key, int); __type(value, int); __uint(max_entries, 1); } inner SEC(".maps");
struct { __uint(type, 12); __type(key, int); __uint(max_entries, 1); __array(values, struct inner); } outer SEC(".maps") = {.values = {&inner}};
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&outer, &key) != 0; }
EOS
"$BPFLINK" filled.o -o out.o 2>errors
[[ ! -s errors ]] || fail "$(<errors)"

# Code that only passes the address on
compile passes <<'EOS'
static int value;
static struct where { const char *file; int *pointer; int line; } here = {"file", &value, 7};
__noinline static int ends(struct where *at) { asm volatile("" :: "r"(at) : "memory"); return at->line; }
SEC("socket") int prog(struct __sk_buff *ctx) { return ends(&here); }
EOS
"$BPFLINK" passes.o -o out.o 2>errors || fail "$(<errors)"
grep -qx "passes.bpf.c:2: warning: a program refers to 'here', which holds a pointer" errors || fail "$(<errors)"
