#!/bin/bash
# On a full disk the link fails with a message, keeps the old target, and leaves no temporary file.
. "$(dirname "$0")/common.sh"

mkdir disk
mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || skip 'mounting a tmpfs is not permitted'
trap 'status=$?; umount disk; finish $status' EXIT

compile large <<'EOF'
const char data[200000] = {1};
SEC("socket") int prog(struct __sk_buff *ctx) { return data[ctx->len & 0xffff]; }
EOF
echo 'what was there' >disk/out.o
for target in out.o new.o /dev/full; do
  [[ $target == /* ]] || target=disk/$target
  status=0
  "$BPFLINK" large.o -o $target 2>errors || status=$?
  [[ $status == 1 ]] || fail "$target: exit status $status"
  expect_error "$target: "
  expect_error 'No space left on device'
  expect out.o ls -A disk
  [[ $(<disk/out.o) == 'what was there' ]] || fail 'the old target was touched'
done
