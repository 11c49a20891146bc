#!/bin/bash
# Minimizes the types of a fleet's kernels for one program, in one run and by bpftool one by one. By
# hand: the kernels are those given, in any form, and changed copies of them (see fleet.py).
#
#   tests/bench/fleet.sh BUILD COUNT KERNEL...
set -euo pipefail

here=$(dirname "$(realpath "$0")")
build=$(realpath "$1") count=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

blobs=()
for kernel in "${@:3}"; do
  blobs+=("$work/${#blobs[@]}.btf")
  "$build/bin/btfdedup" "$kernel" -o "${blobs[-1]}"
done
python3 "$here/fleet.py" "$work/fleet" "$count" "${blobs[@]}"
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$here/fleet.bpf.c" -o "$work/fleet.o"
echo "$count kernels, $(du -sm "$work/fleet" | cut -f1) MB of archives"

# by_bpftool: as BTFHub's tools do it
by_bpftool() {
  local archive name
  mkdir "$work/theirs" "$work/unpacked"
  for archive in "$work"/fleet/*/*/*/*.tar.xz; do
    name=$(basename "$archive" .tar.xz)
    tar -xJf "$archive" -C "$work/unpacked"
    bpftool gen min_core_btf "$work/unpacked/$name" "$work/theirs/$name" "$work/fleet.o"
    rm "$work/unpacked/$name"
  done
}
export -f by_bpftool
export work
form='%e s, %U s of processors in user mode, %S s in the kernel, %M kB'
echo -n 'bpfcore minimize: ' && /usr/bin/time -f "$form" "$build/bin/bpfcore" minimize "$work/fleet.o" "$work/fleet" -o "$work/ours" 2>&1
echo -n 'bpftool: ' && /usr/bin/time -f "$form" bash -c by_bpftool 2>&1
echo "bytes of the types: bpfcore $(jq '[.kernels[].files[].bytes] | add' "$work/ours/index.json"), bpftool $(cat "$work"/theirs/* | wc -c)"
