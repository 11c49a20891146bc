#!/bin/bash
# Whatever makes a link fail, an existing target keeps its content and its time, so that make does
# not take it for new. No temporary file stays.
. "$(dirname "$0")/common.sh"

compile undefined <<<'int helper(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }'
compile duplicate <<<'SEC("socket") int prog(struct __sk_buff *ctx) { return 1; } int helper(int x) { return x; }'
compile conflict <<<'long helper(long x) { return x; }'
head -c 500 undefined.o >cut.o
mkdir directory.o

echo 'what was there' >target.o
touch -d '2001-01-01' target.o errors
touch before
ls -A >before
for inputs in undefined.o 'undefined.o duplicate.o' 'undefined.o conflict.o' 'duplicate.o cut.o' duplicate.bpf.c directory.o \
  'duplicate.o missing.o' /dev/null; do
  status=0
  "$BPFLINK" $inputs -o target.o 2>errors || status=$?
  [[ $status == 1 ]] || fail "bpflink $inputs: exit status $status"
  [[ $(<target.o) == 'what was there' && $(stat -c %y target.o) == 2001-01-01* ]] ||
    fail "bpflink $inputs touched the target"
done
ls -A | diff before - || fail 'files were left behind'
