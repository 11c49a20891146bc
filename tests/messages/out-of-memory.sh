#!/bin/bash
# Too little memory, in any thread, is an error like any other: one message, no output, and the old
# target stays.
. "$(dirname "$0")/common.sh"

if grep -q __asan_init "$BPFLINK"; then skip 'a sanitizer needs more addresses than a limit leaves'; fi

# Enough different types for several threads
for i in 0 1 2 3 4 5; do
  python3 - "$i" >"types$i.c" <<'PY'
import sys
for n in range(4000):
    print(f"struct s{sys.argv[1]}_{n} {{ int a{n}[{n + 1}]; struct s{sys.argv[1]}_{n} *next; }} v{sys.argv[1]}_{n};")
PY
  compile "types$i" <"types$i.c"
done
echo 'what was there' >old

# starved COMMAND...: runs COMMAND with less and less memory, until it does not start
starved() {
  local program limit status refused=0
  program=$(basename "$1")
  for ((limit = 120000; limit > 4000; limit = limit * 19 / 20)); do
    # With even less memory, the C library or its loader fails before the program begins.
    (ulimit -v $((limit - 64)) && exec "$1" --version) >said 2>&1 || (($? < 126)) || break
    cp old out.o
    status=0
    (ulimit -v $limit && exec "$@" -o out.o) >said 2>&1 || status=$?
    case $status in
      0) cmp -s out.o old && fail "$program with $limit KB: no output" ;;
      1)
        cmp -s out.o old || fail "$program with $limit KB: the old target is gone"
        grep -Eq "^$program: error: (.*: )?(out of memory|Cannot allocate memory)$" said ||
          fail "$program with $limit KB: says $(<said)"
        refused=$((refused + 1))
        ;;
      *) fail "$program with $limit KB: exit status $status: $(<said)" ;;
    esac
  done
  ((refused > 3)) || fail "$program: was refused $refused times only"
}
starved "$BPFLINK" types*.o
starved "$BTFDEDUP" types*.o
