#!/bin/bash
# --gc-sections keeps the types of live code and data in bpf-gcc's objects, which have no func_info
# and whose DATASECs give each variable offset 0.
. "$(dirname "$0")/common.sh"
command -v bpf-gcc >/dev/null || skip 'bpf-gcc is not installed'

cat >lib.c <<'END'
struct state { int n; long total; };
struct unused { char c[8]; };
static volatile struct state state = {1, 2};
static volatile struct unused unused = {"abc"};
static __attribute__((noipa)) unsigned inner(struct state *s, unsigned x) { return s->n * x + s->total; }
static __attribute__((noipa)) long dropped(struct unused *u) { return u->c[2]; }
unsigned step(unsigned x) { struct state s = state; state.n++; return inner(&s, x); }
unsigned dead(unsigned x) { return dropped((struct unused *)&unused) + x; }
END
bpf-gcc -gbtf -O2 -c lib.c -o lib.o
compile main <<'END'
unsigned step(unsigned x);
static __noinline void inner(void) { asm volatile(""); }
SEC("socket") int prog(struct __sk_buff *ctx) { inner(); return step(ctx->len); }
END
varies '- refused: *' 'the peer takes no objects of bpf-gcc before gcc 14'
# LI: labels of lines, by gcc 14 and later
for name in unused dropped dead LI; do varies "- *$name*" 'the peer drops nothing'; done
for order in 'main.o lib.o' 'lib.o main.o'; do
  link --gc-sections $order
  expect 'state 0 16' datasec .data
  contains 'var .data static volatile struct state state;' declarations
  contains 'func static unsigned int inner(struct state *s, unsigned int x);' declarations
  contains 'struct state { int n; long int total;};' types
  lacks 'unused|dropped|dead' declarations
  lacks 'unused' types
done
