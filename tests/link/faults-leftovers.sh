#!/bin/bash
# A process that is killed between naming and renaming an output leaves a file. The next one for the
# same output removes it, but nothing that is in use, and nothing that is not such a file.
. "$(dirname "$0")/common.sh"

strace -qq -e trace=none true 2>/dev/null || skip 'strace may not trace a program here'
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer fails under strace

compile a <<<'SEC("socket") int prog(void *ctx) { return 1; }'
llvm-objcopy-19 --dump-section .BTF=kernel.btf a.o
mkdir out

# files: what is in out/
files() { (cd out && ls -A); }

# killed CALL COMMAND...: COMMAND is killed when it makes the call
killed() {
  local call=$1 status=0
  shift
  strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=1" "$@" 2>/dev/null || status=$?
  ((status > 128)) || fail "$*: exit status $status"
}

# leaves_nothing COMMAND...: COMMAND writes out/new
leaves_nothing() {
  rm -rf out
  mkdir out
  killed rename "$@"
  [[ -n $(compgen -G 'out/.*.tmp') ]] || fail "$*: was not killed in time"
  "$@"
  expect new files
}
leaves_nothing "$BPFLINK" a.o -o out/new
leaves_nothing "$BTFDEDUP" a.o -o out/new
leaves_nothing "$BPFSKEL" a.o -o out/new
leaves_nothing "$BPFCORE" minimize a.o kernel.btf --release 6.1 --archive out/new >stdout

rm -rf out
mkdir out
"$BPFLINK" a.o -o out/new

# What is not a file that a process left stays: a link, a second name, a FIFO, a file in use.
echo precious >precious
ln -s ../precious out/.new.bpflink-0.tmp
ln precious out/.new.bpflink-1.tmp
mkfifo out/.new.bpflink-2.tmp
echo 'in use' >out/.new.bpflink-3.tmp
: >out/.new.bpflink-4.tmp
before=$(files | grep -v 4.tmp)
flock out/.new.bpflink-3.tmp timeout 60 "$BPFLINK" a.o -o out/new
expect "$before" files
expect precious cat precious
expect 'in use' cat out/.new.bpflink-3.tmp

# Nor does root remove what another user put there.
if ((EUID == 0)); then
  rm -f out/.*.tmp
  : >out/.new.bpflink-0.tmp
  chown 65534 out/.new.bpflink-0.tmp
  "$BPFLINK" a.o -o out/new
  expect $'.new.bpflink-0.tmp\nnew' files
fi

# Where files need a name from the beginning, as without /proc, signals remove them.
((EUID == 0)) && unshare -m mount -t tmpfs none /proc 2>/dev/null || exit 0
# interrupted COMMAND...: COMMAND gets SIGTERM once it has made a temporary file
interrupted() {
  rm -rf out
  mkdir out
  unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@" >stdout 2>&1 &
  until [[ -n $(compgen -G 'out/.*.tmp') ]]; do kill -0 $!; done
  kill -TERM $!
  status=0
  wait $! || status=$?
  [[ $status == 143 ]] || fail "$*: exit status $status: $(<stdout)"
  expect '' files
}
mkfifo pipe
exec 5<>pipe
interrupted "$BPFLINK" a.o pipe -o out/new --Map out/map --json out/json
interrupted "$BTFDEDUP" a.o pipe -o out/new --size-map out/map
interrupted "$BPFSKEL" a.o pipe -o out/new --Map out/map
# bpfcore does not wait after it has opened its outputs: it gets the signal when it has made the
# second one, in a new directory.
rm -rf out
mkdir out
status=0
strace -f -qq -o trace -e trace=flock -e inject=flock:signal=TERM:when=2 \
  unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh \
  "$BPFCORE" minimize a.o kernel.btf --release 6.1 -o out/new --archive out/archive >stdout 2>&1 || status=$?
[[ $status == 143 ]] || fail "exit status $status: $(<stdout)"
expect '' files
