#!/bin/bash
# One hidden declaration or definition makes the symbol hidden. libbpf makes hidden functions static
# for the verifier, so that a caller may pass them a pointer without a check for NULL.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct pair { int a, b; };
int helper(struct pair *p);
extern int state;
SEC("socket") int prog(struct __sk_buff *ctx) { struct pair p = {4, ctx->mark + 5}; return helper(&p) + state; }
EOF
compile b <<'EOF'
struct pair { int a, b; };
__hidden __noinline int helper(struct pair *p) { return p->a + p->b; }
__hidden int state = 5;
EOF

for order in "a.o b.o" "b.o a.o"; do
  link $order
  expect 'FUNC GLOBAL HIDDEN .text 0 32' symbol helper
  expect 'OBJECT GLOBAL HIDDEN .data 0 4' symbol state
  contains 'prog+0x38 call helper' references
  run 'prog()=14'
done

# The declaration is hidden, the definition visible.
sed 's/^int helper/__hidden &/' a.bpf.c | compile c
sed 's/__hidden //' b.bpf.c | compile d
for order in "c.o d.o" "d.o c.o"; do
  link $order
  expect 'FUNC GLOBAL HIDDEN .text 0 32' symbol helper
  run 'prog()=14'
done
