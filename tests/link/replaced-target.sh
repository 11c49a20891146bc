#!/bin/bash
# A good link replaces the target in one step and leaves no temporary file.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'

echo old >out.o
exec 3<out.o
(umask 022 && "$BPFLINK" a.o -o out.o)
[[ $(cat <&3) == old ]] || fail 'the target was written in place'
[[ $(stat -c %a out.o) == 644 ]] || fail "mode $(stat -c %a out.o)"
expect $'a.bpf.c\na.o\nout.o' ls -A
