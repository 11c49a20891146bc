#!/bin/bash
# --no-check-types turns type conflicts into warnings, -q silences them, and --fatal-warnings turns
# them back into errors.
. "$(dirname "$0")/common.sh"

compile a <<<'extern int v; SEC("socket") int prog(void *ctx) { return v; }'
compile b <<<'long v = 4;'
refused "b.bpf.c:1: error: conflicting types of 'v'" a.o b.o

"$BPFLINK" --no-check-types a.o b.o -o out.o 2>errors
expect_error "b.bpf.c:1: warning: conflicting types of 'v'"
contains 'var .data global long v;' declarations
python3 "$bpfobj" check out.o

"$BPFLINK" --no-check-types -q a.o b.o -o out.o 2>errors
[[ ! -s errors ]] || fail "-q, but: $(<errors)"
refused "conflicting types of 'v'" --no-check-types --fatal-warnings a.o b.o
