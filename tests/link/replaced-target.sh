#!/bin/bash
# A good link replaces the target in one step and leaves no temporary file: another name of the old file
# keeps the old contents, and the new file has its mode.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
mkdir out
for program in "$BPFLINK a.o -o" "$BTFDEDUP a.o -o"; do
  echo old >out/one
  ln -f out/one out/other
  chmod 640 out/one
  (umask 022 && $program out/one)
  expect old cat out/other
  expect 640 stat -c %a out/one
done
(umask 022 && "$BPFLINK" a.o -o out/new)
expect 644 stat -c %a out/new
expect $'new\none\nother' ls -A out
