#!/bin/bash
# A read-only target and a read-only directory are errors for users other than root. The old files
# stay.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
another_user "$BPFLINK"
program=$programs/${BPFLINK##*/}
mkdir locked open
chmod 777 open
for directory in locked open; do
  echo 'what was there' >$directory/out.o
  chmod 444 $directory/out.o
done
chmod 555 locked
for target in locked/out.o open/out.o locked/new.o; do
  status=0
  "${as_user[@]}" "$program" a.o -o $target 2>errors || status=$?
  [[ $status == 1 ]] || fail "$target: exit status $status"
  expect_error "$target: cannot open output file: Permission denied"
  expect 'what was there' cat "${target%/*}/out.o"
  expect out.o ls -A "${target%/*}"
done
chmod 755 locked

# A report does not replace what it cannot see: it may be an object.
echo 'what was there' >open/map
chmod 222 open/map
status=0
"${as_user[@]}" "$program" a.o -o open/new.o --Map open/map 2>errors || status=$?
[[ $status == 1 ]] || fail "open/map: exit status $status"
expect_error "--Map 'open/map' would replace a file that cannot be read: cannot open: Permission denied"
chmod 644 open/map
expect 'what was there' cat open/map
