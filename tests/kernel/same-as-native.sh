#!/bin/bash
# Random programs of several files, linked at once or in two stages, compute in the kernel what the
# same files compute on this machine, linked by the native linker.
. "$(dirname "$0")/common.sh"
generator=$here/random_programs.py

for seed in ${SEEDS:-1 2 3 4}; do
  count=$((3 + seed % 3))
  python3 "$generator" "$seed" "$count"
  objects=() sources=()
  for ((n = 0; n < count; n++)); do
    compile f$n -Wno-ignored-qualifiers <f$n.c
    objects+=(f$n.o)
    sources+=(f$n.c)
  done
  gcc -w -O1 '-DSEC(x)=' '-D__weak=__attribute__((weak))' '-D__noinline=__attribute__((noinline))' \
    "${sources[@]}" native.c -o native
  ./native >checks
  mapfile -t checks <checks

  echo "seed $seed: ${#checks[@]} checks of ${objects[*]}"
  link "${objects[@]}"
  run "${checks[@]}" >ran
  "$BPFLINK" -r "${objects[@]:0:2}" -o first.o
  "$BPFLINK" -r "${objects[@]:2}" -o second.o
  link first.o second.o
  run "${checks[@]}" >ran
done
