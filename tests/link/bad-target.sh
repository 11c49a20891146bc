#!/bin/bash
# An unwritable target is an error that names it: a missing directory, a directory in the target's
# place, a directory without permission. A good link replaces the target in one step and leaves no
# temporary file.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'

fails_to_write() {
  local status=0
  "$BPFLINK" a.o -o "$1" 2>errors || status=$?
  [[ $status == 1 && $(head -n 1 errors) == 'bpflink: error: '?* ]] || fail "status $status: $(<errors)"
  expect_error "$1"
}
fails_to_write no-such-directory/out.o
[[ ! -e no-such-directory ]]
mkdir taken.o
fails_to_write taken.o
fails_to_write /proc/out.o
fails_to_write ''
expect $'a.bpf.c\na.o\nerrors\ntaken.o' ls -A

if [[ $EUID != 0 ]]; then
  mkdir locked
  chmod 555 locked
  fails_to_write locked/out.o
  rmdir locked
fi

# The new file replaces the old one: a regular file that others may read.
echo old >out.o
exec 3<out.o
(umask 022 && "$BPFLINK" a.o -o out.o)
[[ $(cat <&3) == old ]] || fail 'the target was written in place'
[[ $(stat -c %a out.o) == 644 ]] || fail "mode $(stat -c %a out.o)"
expect $'a.bpf.c\na.o\nerrors\nout.o\ntaken.o' ls -A

# The target must not be an input.
cp a.o same.o
! "$BPFLINK" same.o -o same.o 2>errors
expect_error "would replace the input 'same.o'"
cmp same.o a.o
