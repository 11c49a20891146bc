#!/bin/bash
# Hidden functions, which libbpf makes static to the verifier: a pointer may be passed to them
# without a check for NULL. And --localize-hidden of two libraries with the same names.
. "$(dirname "$0")/common.sh"

compile main <<'EOF'
struct pair { int a, b; };
__hidden int sum(struct pair *p);
unsigned lib1(unsigned x), lib2(unsigned x);
SEC("socket") int prog(struct __sk_buff *ctx) { struct pair p = {4, ctx->mark + 5}; return sum(&p); }
SEC("socket") int libs(struct __sk_buff *ctx) { return lib1(1) * 100 + lib2(1); }
EOF
compile sum <<'EOF'
struct pair { int a, b; };
__hidden __noinline int sum(struct pair *p) { return p->a + p->b; }
EOF
for n in 1 2; do
  compile part$n <<EOF
__hidden int state = $n;
__hidden __noinline unsigned mix(unsigned x) { return x * 3 + state; }
EOF
  compile face$n <<EOF
__hidden unsigned mix(unsigned x);
unsigned lib$n(unsigned x) { return mix(x) + $n; }
EOF
  "$BPFLINK" -r --localize-hidden part$n.o face$n.o -o lib$n.o
done
link main.o lib1.o sum.o lib2.o
run 'prog()=9' 'libs()=507'
