#!/bin/bash
# Two strong definitions of one name are an error that shows both, by source line and by object and
# section. One run reports all such errors.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int state = 1;

int helper(int x) { return x; }
EOF
compile b <<'EOF'
int helper(int x) { return x + 1; }
int state = 2;
EOF
refused 'error: duplicate symbol: helper' a.o b.o
expect_error 'a.bpf.c:3'
expect_error 'a.o:(.text+0x0)'
expect_error 'b.bpf.c:1'
expect_error 'b.o:(.text+0x0)'
expect_error 'a.bpf.c:1: error: duplicate symbol: state'
expect_error 'a.o:(.data+0x0)'
expect_error 'b.o:(.data+0x0)'
