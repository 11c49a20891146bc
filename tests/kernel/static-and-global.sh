#!/bin/bash
# A static function and variable in one file, global ones of the same names in another: each
# file's own come first, a third file gets the global ones.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static __noinline int helper(int x) { return x + 1; }
static volatile int state = 2;
SEC("socket") int a(void *ctx) { return helper(1) + state; }
EOF
compile b <<'EOF'
int helper(int x) { return x + 100; }
int state = 1000;
SEC("socket") int b(void *ctx) { return helper(1) + state; }
EOF
compile c <<'EOF'
int helper(int x);
extern int state;
SEC("socket") int c(void *ctx) { return helper(2) + state; }
EOF
for order in "a.o c.o b.o" "c.o b.o a.o"; do
  link $order
  run 'a()=4' 'b()=1101' 'c()=1102'
done
