#!/bin/bash
# Random programs against random changes of their types. Each relocation has the outcome and value
# of libbpf's log, with the whole types and with minimized ones. Minimized types are no larger than
# bpftool's if bpftool's give the same results.
. "$(dirname "$0")/common.sh"

seeds=${BPFLINK_SEEDS:-30} pairs=0 ours=0 theirs=0
for seed in $(seq 1 "$seeds"); do
  python3 "$here/random_core.py" "$seed" program.c kernel.c
  for file in program kernel; do
    "$CC" -g -O2 --target=bpf -w -fms-extensions -c $file.c -o $file.o 2>compile.log || continue 2
  done
  python3 "$here/compare.py" program.o kernel.o || fail "seed $seed"
  pairs=$((pairs + 1))
  bpftool gen min_core_btf kernel.o bpftool.btf program.o 2>/dev/null || continue
  [[ $("$CORE_OF_LIBBPF" program.o kernel.o) == "$("$CORE_OF_LIBBPF" program.o bpftool.btf)" ]] || continue
  "$BPFCORE" minimize program.o --kernel kernel.o -o min 2>/dev/null
  size=$(stat -c %s min/kernel.o*.btf) peer=$(stat -c %s bpftool.btf)
  ((size <= peer)) || fail "seed $seed: $size bytes, bpftool's $peer"
  ours=$((ours + size)) theirs=$((theirs + peer))
done
((pairs >= seeds * 3 / 4)) || fail "only $pairs of $seeds programs compile"
echo "$pairs pairs; minimized $ours bytes, bpftool $theirs"
