#!/bin/bash
# An input that is truncated while it is mapped is one error that names it, with exit status 1. The
# old output stays, and no temporary file does. Both programs have the input mapped while they wait
# for the next one, which comes from a pipe.
BTFDEDUP=$(realpath "${BTFDEDUP:?the program to test}")
. "$(dirname "$0")/common.sh"

compile cut <<'EOF'
struct pair { int a, b; };
SEC("socket") int prog(struct __sk_buff *ctx) { struct pair p = {ctx->len}; return p.a; }
EOF
compile next <<'EOF'
int other(int x) { return x; }
EOF
cp cut.o whole.o
cp next.o object # the pipe's content
llvm-ar-19 rcT thin.a cut.o next.o
rm next.o
mkfifo next.o
mkdir out

# has_mapped PID FILE: waits until the process has mapped the file; fails if it ends before
has_mapped() {
  while kill -0 "$1"; do
    if grep -q "/$2\$" "/proc/$1/maps"; then return; fi
    sleep 0.01
  done
  fail "the process ends without $2: $(<errors)"
}

# cut_off NAME COMMAND...: COMMAND reads cut.o and then next.o; its error calls cut.o NAME
cut_off() {
  local name=$1 status=0 process
  shift
  cp whole.o cut.o
  echo 'what was there' >out/file
  exec 5<>next.o
  "$@" -o out/file 5>&- 2>errors >stdout &
  process=$!
  has_mapped $process cut.o
  # On file systems without unnamed files, the output would be here.
  : >out/.file.$process-0.tmp
  truncate -s 0 cut.o
  cat object >&5
  exec 5>&-
  wait $process || status=$?
  [[ $status == 1 ]] || fail "$*: exit status $status: $(<errors)"
  expect "$(basename "$1"): error: $name: was cut off while it was read" cat errors
  [[ ! -s stdout ]] || fail "$*: on standard output: $(<stdout)"
  expect file ls -A out
  expect 'what was there' cat out/file
}
for threads in 1 2; do
  cut_off cut.o "$BPFLINK" --threads $threads cut.o next.o
  cut_off 'thin.a(cut.o)' "$BPFLINK" --threads $threads --whole-archive thin.a
  cut_off 'thin.a(cut.o)' "$BTFDEDUP" --threads $threads thin.a
done
