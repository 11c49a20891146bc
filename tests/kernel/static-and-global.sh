#!/bin/bash
# One file has a static function and variable, another has global ones with these names. The first
# file uses its own, a third file uses the global ones.
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
