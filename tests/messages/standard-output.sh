#!/bin/bash
# What is printed to a standard output that is closed or full is an error, and no output replaces its
# target. No file gets the number of a closed descriptor.
. "$(dirname "$0")/../link/common.sh"

compile a <<<'SEC("xdp") int a(void *ctx) { return 2; } char LICENSE[] SEC("license") = "GPL";'
llvm-objcopy-19 --dump-section .BTF=k.btf a.o /dev/null

# fails MESSAGE COMMAND...: it exits with 1 (bpfcore: 2) and leaves the files as they were
fails() {
  local message=$1 status=0 expected=1
  shift
  echo old >out
  cp a.o u.o
  "$@" 2>log || status=$?
  if [[ " $* " == *" $BPFCORE "* ]]; then expected=2; fi # it could not check
  [[ $status == "$expected" ]] || fail "$*: exit status $status"
  grep -qF -- "$message" log || fail "$*: no '$message' in: $(<log)"
  [[ $(<out) == old ]] || fail "$* has replaced its output"
  cmp a.o u.o || fail "$* has changed the object"
}
closed() { "$@" >&-; }
full() { "$@" >/dev/full; }

for output in closed full; do
  for arguments in '--print-sizes -o out' '--explain a -o out' '--emit-stats -o out' '--cref -o out' '--print-sizes --json out -o new.o'; do
    fails 'cannot write to standard output' $output "$BPFLINK" a.o $arguments
  done
  for arguments in '-o out --dump c' '-o out --dump raw' '-o out --stats' '-o out --print-sizes' '-o out --explain a'; do
    fails 'cannot write to standard output' $output "$BTFDEDUP" a.o $arguments
  done
  fails 'cannot write to standard output' $output "$BTFDEDUP" --update u.o --stats
  fails 'cannot write to standard output' $output "$BPFCORE" check a.o k.btf --table --json out
  for program in "$BPFLINK" "$BTFDEDUP" "$BPFSKEL" "$BPFCORE"; do
    fails 'cannot write to standard output' $output "$program" --help
    fails 'cannot write to standard output' $output "$program" --version
  done
done
fails '/dev/stdout: cannot open output file: it is closed, or open only for reading' closed "$BPFSKEL" a.o
fails '/dev/stdout: cannot write' full "$BPFSKEL" a.o
fails '/dev/stdout: cannot open output file: it is closed, or open only for reading' closed "$BPFLINK" a.o -o -

# A verdict that cannot be printed
fails 'cannot write to standard output' full "$BTFDEDUP" --check a.o

# Characters that turn text around do not reach the terminal.
turned=$(printf 'turned\xe2\x80\xae.o')
status=0
"$BPFLINK" "$turned" -o out 2>log || status=$?
[[ $status == 1 ]] && grep -qF 'turned???.o' log || fail "$(<log)"

# Other descriptors may be closed.
"$BPFLINK" a.o -o b.o <&- 2>&-
cmp b.o <("$BPFLINK" a.o -o - | cat) || fail 'another output with closed descriptors'
