#!/bin/bash
# Boots the newest kernel that Debian has now with `bpfcore load`, and loads what tests/run.sh has built:
# each program of each object of tests/api and tests/link, alone, as compiled and as bpflink linked it.
# Fails if a program loads only as compiled, or the kernel disagrees with `bpfcore check`. Groups of
# objects are compared with bpftool's links.
#
#   tests/boot/newest-kernel.sh [SUITE...]    the first that apt reaches; the default is sid trixie
#
# Without a mirror or qemu it prints why it is skipped, and succeeds.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

skip() {
  echo "SKIPPED: the newest kernel: $*"
  exit 0
}

# fetch_first SUITE...: fetches the kernel of the first suite that can be reached
fetch_first() {
  local suite
  for suite; do
    if why=$(MODULES='' fetch_kernel "$suite" cloud-amd64 "$tmp/kernel"); then return; fi
  done
  return 1
}

((EUID == 0)) || skip 'not root'
[[ -x $OWN_PROGRAMS/bpflink ]] || skip "no $OWN_PROGRAMS/bpflink: run tests/run.sh"
[[ $(uname -m) == x86_64 ]] || skip 'this is no x86-64'
cmake/packages.sh bpf boot >"$tmp/log" 2>&1 || skip "no qemu: $(tail -n 1 "$tmp/log")"
if (($# == 0)); then set -- sid trixie; fi
fetch_first "$@" || skip "$why"
make_own_objects "$tmp"
compare_loads "$tmp" after "$(realpath "$tmp/kernel/vmlinuz")"
judge_loads "$tmp/after.json"
