#!/bin/bash
# An extern and its definition must have the same type, for variables and functions. Otherwise the
# error shows both as C.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern long total;
int helper(int x);
SEC("socket") int prog(void *ctx) { return total + helper(1); }
EOF
compile b <<<'int total = 1;'
compile c <<<'long total = 1; int helper(long *x) { return *x; }'
compile d <<<'long helper(int x) { return x; }'
refused 'total' a.o b.o d.o
expect_error 'long total'
expect_error 'int total'
expect_error 'a.o'
expect_error 'b.o'
expect_error 'extern int helper(int)'
expect_error 'long helper(int x)'
refused 'extern int helper(int)' a.o c.o
expect_error 'int helper(long *x)'
refused 'int helper(long *x)' c.o a.o
