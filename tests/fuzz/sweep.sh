#!/bin/bash
# Makes the objects of the mutation sweep and runs it: a small object with every feature, and one to
# link it with.
set -euo pipefail

sweep=${1:?the program}
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/seeds
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for name in swept small; do
  "${CC:-clang-19}" -g -O2 --target=bpf -mcpu=v3 -w -I"/usr/include/$(uname -m)-linux-gnu" \
    -include linux/bpf.h -include bpf/bpf_helpers.h -c "$source/$name.bpf.c" -o "$work/$name.o"
  llvm-strip-19 --strip-debug "$work/$name.o"
done
"$sweep" "$work/swept.o" "$work/small.o"
