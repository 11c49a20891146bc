#!/bin/bash
# Compares btfdedup with libbpf's btf__dedup() on a blob of BTF, whole programs,
# file to file, and prints a table: median seconds and peak memory.
# Usage: dedup.sh BTFDEDUP BLOB [RUNS]
set -euo pipefail

btfdedup=$(realpath "$1")
blob=$(realpath "$2")
runs=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -O2 "$here/libbpf_dedup.c" -o "$work/libbpf_dedup" -lbpf

# measure NAME COMMAND...: a row of the table; the first is what others are
# compared with.
baseline=
measure() {
  local name=$1
  shift
  hyperfine -N --warmup 1 --runs "$runs" --export-json "$work/times.json" "$*" >/dev/null 2>&1
  local seconds memory ratio
  seconds=$(sed -n 's/.*"median": \([0-9.e-]*\).*/\1/p' "$work/times.json")
  memory=$( { /usr/bin/time -f %M "$@" >/dev/null; } 2>&1 | tail -1)
  baseline=${baseline:-$seconds}
  ratio=$(echo "$baseline $seconds" | awk '{printf "%.1f", $1 / $2}')
  printf '| %-26s | %8.3f s | %5sx | %6d MB |\n' "$name" "$seconds" "$ratio" $((memory / 1024))
}

printf '| %-26s | %10s | %6s | %9s |\n' program median ratio 'peak'
printf '| --- | --- | --- | --- |\n'
measure 'libbpf btf__dedup' "$work/libbpf_dedup" "$blob" "$work/peer.btf"
measure 'btfdedup, 1 thread' "$btfdedup" --threads 1 "$blob" -o "$work/one.btf"
measure 'btfdedup, 2 threads' "$btfdedup" --threads 2 "$blob" -o "$work/two.btf"

cmp "$work/one.btf" "$work/two.btf"
count() { bpftool btf dump file "$1" | grep -c '^\['; }
echo
echo "types left: libbpf $(count "$work/peer.btf"), btfdedup $(count "$work/one.btf")"

# 2,000 copies of an object as separate inputs: memory must not follow.
clang=$(command -v clang-19 || command -v clang || true)
if [[ -n $clang ]]; then
  cd "$work"
  {
    for i in $(seq 1 100); do
      echo "struct s$i { int a; struct s$((i % 100 + 1)) *next; long b$i[$i]; };"
    done
    for i in $(seq 1 100); do echo "struct s$i v$i;"; done
  } >copy.c
  "$clang" -g -O2 --target=bpf -c copy.c -o copy.o
  mkdir copies
  for i in $(seq 1 2000); do cp copy.o "copies/$i.o"; done
  peak() { { /usr/bin/time -f %M "$btfdedup" "$@" >/dev/null; } 2>&1 | tail -1; }
  printf '%s\n' copies/{1..20}.o >few
  printf '%s\n' copies/*.o >all
  echo "peak memory for 20 copies: $(peak @few -o few.btf) KB, for 2000: $(peak @all -o all.btf) KB"
fi
