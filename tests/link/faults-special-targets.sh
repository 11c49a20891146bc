#!/bin/bash
# Targets that are no regular files: symbolic links stay links, even dangling ones; devices, pipes
# and descriptors receive the bytes.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
"$BPFLINK" a.o -o want.o

# A link to a file, a link to a link in another directory, a dangling link.
mkdir sub
echo old >sub/file.o
ln -s sub/file.o link.o
ln -s ../link.o sub/second.o
ln -s sub/new.o dangling.o
for link in link.o sub/second.o dangling.o; do
  "$BPFLINK" a.o -o $link
  [[ -L $link && -f $(realpath $link) ]] || fail "$link is no link any more"
  cmp want.o $link
done
expect $'file.o\nnew.o\nsecond.o' ls -A sub
ln -s circle-a circle-b
ln -s circle-b circle-a
status=0
"$BPFLINK" a.o -o circle-a 2>errors || status=$?
[[ $status == 1 && -L circle-a && -L circle-b ]] || fail 'a circle of links'
expect_error 'Too many levels of symbolic links'

"$BPFLINK" a.o -o /dev/null
[[ -c /dev/null ]] || fail '/dev/null was replaced'
"$BPFLINK" a.o -o /dev/stdout | cmp - want.o
"$BPFLINK" a.o -o /dev/fd/5 5>descriptor.o
cmp descriptor.o want.o

# A descriptor of a file is written at its position; the file is not replaced.
{
  echo before
  "$BPFLINK" a.o -o /dev/stdout
  echo after
} >all
{ echo before && cat want.o && echo after; } | cmp - all

mkfifo fifo
timeout 20 cat fifo >from-fifo.o &
timeout 20 "$BPFLINK" a.o -o fifo
wait $!
[[ -p fifo ]] || fail 'the FIFO was replaced'
cmp from-fifo.o want.o

# A pipe without a reader is an error, not a silent exit.
mkfifo gate
{
  read -r _ <gate
  status=0
  "$BPFLINK" a.o -o /dev/stdout 2>errors || status=$?
  echo $status >status
} | { exec <&-; echo >gate; }
expect 1 cat status
expect_error 'Broken pipe'
[[ -z $(find . -name '*.tmp') ]] || fail 'a temporary file was left'
