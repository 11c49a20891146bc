#!/bin/bash
# Hidden visibility of any declaration or definition makes the symbol hidden.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int helper(int x);
extern int state;
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len) + state; }
EOF
compile b <<'EOF'
__hidden int helper(int x) { return x + 1; }
__hidden int state = 5;
EOF

for order in "a.o b.o" "b.o a.o"; do
  link $order
  expect 'FUNC GLOBAL HIDDEN .text 0 24' symbol helper
  expect 'OBJECT GLOBAL HIDDEN .data 0 4' symbol state
  contains 'prog+0x8 call helper' references
done

# Declared hidden, defined visible.
compile c <<'EOF'
__hidden int helper(int x);
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }
EOF
compile d <<'EOF'
int helper(int x) { return x + 1; }
EOF
for order in "c.o d.o" "d.o c.o"; do
  link $order
  expect 'FUNC GLOBAL HIDDEN .text 0 24' symbol helper
done
