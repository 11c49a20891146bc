#!/bin/bash
# User space sets const volatile variables before the load, by their names, so --gc-sections keeps them.
# The value of another constant is compiled into the code. --gc-constants drops them all.
. "$(dirname "$0")/common.sh"

compile a <<'EOS'
const volatile int setting = 1;
const volatile struct { int a, b; } of_section SEC(".rodata.config") = {1, 2};
volatile const long numbers[2] = {3, 4};
const int constant = 5;
int variable = 7;
const volatile int used = 8;
SEC("socket") int prog(void *ctx) { return used; }
EOS
names() { { variables .rodata; variables .rodata.config; variables .data; } | sort | xargs; }
link a.o
expect 'constant numbers of_section setting used variable' names
"$BPFLINK" --verify --gc-sections --print-gc-sections a.o -o out.o 2>log
expect 'numbers of_section setting used variable' names
grep -q 'removing unused .* constant$' log || fail "$(<log)"
changes_nothing
"$BPFLINK" --gc-sections --explain setting a.o -o out.o >log
grep -q 'variable that user space may set' log || fail "$(<log)"
"$BPFLINK" --verify --gc-sections --gc-constants --print-gc-sections a.o -o out.o 2>log
expect 'used' names
grep -q 'removing unused .* setting$' log || fail "$(<log)"
"$BPFLINK" --gc-constants a.o -o out.o 2>log
grep -qx -- 'bpflink: warning: --gc-constants: nothing is dropped without --gc-sections' log || fail "$(<log)"
run 'prog()=8'
