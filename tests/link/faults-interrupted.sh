#!/bin/bash
# A signal kills bpflink at any moment, from its start to its exit: the target is the old one or the
# whole new one, and no temporary file stays. Two links to one target do not disturb each other.
. "$(dirname "$0")/common.sh"

{
  echo 'SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }'
  for i in {1..400}; do
    echo "struct s$i { int a$i; struct s$i *next; long b[$i]; } v$i; int f$i(struct s$i *s) { return s->a$i + v$i.a$i; }"
  done
} >generated.c
compile large <generated.c
start=$(date +%s%N)
"$BPFLINK" large.o -o want.o
duration=$((($(date +%s%N) - start) / 1000)) # microseconds
echo 'what was there' >old
mkdir out

finished=0 killed=0
for signal in INT TERM HUP KILL; do
  for i in {1..25}; do
    cp old out/out.o
    # A shell ignores SIGINT in background processes; env restores it.
    env --default-signal=INT "$BPFLINK" large.o -o out/out.o 2>/dev/null &
    printf -v delay 0.%06d $((RANDOM * 32 % duration))
    sleep $delay
    kill -$signal $! 2>/dev/null || true
    status=0
    wait $! 2>/dev/null || status=$?
    if ((status == 0)); then finished=$((finished + 1)); else killed=$((killed + 1)); fi
    cmp -s out/out.o old || cmp -s out/out.o want.o || fail 'the target is neither the old nor the new one'
    # SIGKILL between naming and renaming leaves the temporary file.
    if [[ $signal == KILL ]]; then rm -f out/.*.tmp; fi
    expect out.o ls -A out
  done
done
((killed > 0)) || fail 'no link was interrupted'
echo "$killed interrupted, $finished finished"

for i in {1..10}; do
  cp old out/out.o
  "$BPFLINK" large.o -o out/out.o &
  first=$!
  "$BPFLINK" large.o -o out/out.o
  wait $first
  cmp want.o out/out.o
  expect out.o ls -A out
done
