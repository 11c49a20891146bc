#!/bin/bash
# Writes linker/facts/call_tables.inc: boots Debian's kernels in qemu and asks each which helpers and
# kfuncs programs of each type may call. Takes some ten minutes; run it for a new kernel.
#
#   tests/core/calls.sh [SUITE...]    by default bullseye bookworm trixie sid experimental, the oldest
#                                   kernel first
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
PATH=$PATH:/usr/sbin:/sbin
cmake/packages.sh boot lint >/dev/null
if (($# == 0)); then set -- bullseye bookworm trixie sid experimental; fi
work=build/kernels
root=$work/probe
rm -rf "$root"
mkdir -p "$root"
gcc -O2 -Wall tests/core/probe_programs.c -o "$work/probe_programs" -lbpf
copy_program "$work/probe_programs" "$root"

# probe SUITE: what its kernel says is in $work/SUITE.calls. Kernels before 6.10 do not mark kfuncs: they
# are asked for those of the last one.
probe() {
  local names=''
  if [[ -e $work/kfuncs ]]; then names=$(xargs <"$work/kfuncs"); fi
  printf '#!/bin/sh\n. /guest.sh\nbegin\nprobe_programs %s 2>&1 | result probe\nend\n' "$names" >"$root/init"
  chmod +x "$root/init"
  make_initramfs "$root" "$root.initramfs"
  boot_kernel "$work/$1/vmlinuz" "$root.initramfs" "$work/$1.console" 1800
  guest_results "$work/$1.console" >"$work/$1.calls"
}

for suite; do
  [[ -e $work/$suite/vmlinuz ]] || MODULES='' fetch_kernel "$suite" cloud-amd64 "$work/$suite"
done
newest=${*: -1}
rm -f "$work/kfuncs"
probe "$newest"
sed -n 's/^probe kfunc \([^ ]*\) .*/\1/p' "$work/$newest.calls" | sort -u >"$work/kfuncs"
arguments=()
for suite; do
  if [[ $suite != "$newest" ]]; then probe "$suite"; fi
  release=$(sed -n 's/^kernel \([0-9]*\.[0-9]*\).*/\1/p' "$work/$suite.calls")
  arguments+=("$release=$work/$suite.calls")
done
tests/core/call_tables.py "${arguments[@]}" >linker/facts/call_tables.inc
