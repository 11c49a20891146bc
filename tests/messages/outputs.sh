#!/bin/bash
# Outputs that cannot be written: nothing changes, neither the output nor what is written besides.
. "$(dirname "$0")/common.sh"

compile good <<'END'
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }
END
mkdir directory
for program in bpflink btfdedup; do
  declare -n path=${program^^}
  expect_message "$program: error: directory: is a directory" "$path" good.o -o directory
  expect_message "$program: error: none/out.o: No such file or directory" "$path" good.o -o none/out.o
  expect_message "$program: error: good.o/out.o: Not a directory" "$path" good.o -o good.o/out.o
done
expect_message 'bpflink: error: /dev/full: cannot write: No space left on device' "$BPFLINK" good.o -o /dev/full
expect_message 'btfdedup: error: /dev/full: cannot write: No space left on device' "$BTFDEDUP" good.o -o /dev/full
for extra in --Map --json --dependency-file; do
  expect_message 'bpflink: error: none/extra: No such file or directory' "$BPFLINK" good.o -o out.o $extra none/extra
  expect_message 'bpflink: error: directory: is a directory' "$BPFLINK" good.o -o out.o $extra directory
done
# The output and what is written besides take their places together or not at all.
for extra in --Map --json --dependency-file; do
  expect_message 'bpflink: error: /dev/full: cannot write: No space left on device' "$BPFLINK" good.o -o out.o $extra /dev/full
done
# A limit on files stands for a disk that is full.
limited() { (ulimit -f 1 && trap '' XFSZ && exec "$@"); }
compile large <<'END'
const char data[2000] = {1};
SEC("socket") int prog(struct __sk_buff *ctx) { return data[ctx->len & 1023]; }
END
expect_message 'bpflink: error: out.o: cannot write: File too large' limited "$BPFLINK" large.o -o out.o
expect_message 'btfdedup: error: out.o: cannot write: File too large' limited "$BTFDEDUP" large.o -o out.o
expect_message 'btfdedup: error: out.o: cannot write: File too large' limited "$BTFDEDUP" large.o --elf -o out.o
