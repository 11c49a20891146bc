#!/bin/bash
# The target's directory vanishes while bpflink works. bpflink exits with 1 and a message, or with
# 0 if it was faster, and leaves no temporary file.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
for i in {1..30}; do
  mkdir gone
  status=0
  "$BPFLINK" a.o -o gone/out.o 2>errors &
  sleep 0.00$((RANDOM % 4))
  rm -rf gone 2>/dev/null || true
  wait $! || status=$?
  [[ $status == 0 || ($status == 1 && $(<errors) == 'bpflink: error: gone/out.o: '*) ]] ||
    fail "status $status: $(<errors)"
  [[ ! -d gone || -z $(find gone -name '*.tmp') ]] || fail 'a temporary file was left'
  rm -rf gone
done

# A certain failure: a working directory that was removed takes no files.
mkdir gone
status=0
(cd gone && rmdir "$tmp/gone" && "$BPFLINK" "$tmp/a.o" -o out.o) 2>errors || status=$?
[[ $status == 1 ]] || fail "exit status $status"
expect_error 'out.o: cannot open output file: No such file or directory'
