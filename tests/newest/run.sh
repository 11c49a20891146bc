#!/bin/bash
# Judges bpflink by what a suite of Debian has today: its kernel, booted in qemu, its compilers, and
# the selftests of its kernel's source. All runs in a clean root of the suite. Takes hours on two
# cores; run it before a release.
#
#   tests/newest/run.sh [--suite SUITE] [--directory DIRECTORY] [STEP...]
#
#   SUITE        sid by default; trixie, or experimental, whose kernel and clang stand beside sid's rest
#   DIRECTORY    the root, some 15 GB; the default is build/newest.SUITE. It is used again if it exists
#   STEP         one of
#     objects-clang   loads each program of the selftests as compiled by clang, and as linked
#     objects-gcc     the same for bpf-gcc
#     bitcode         the same for LLVM bitcode, which bpflink optimizes: beside clang's objects
#     test_progs      runs the kernel's test_progs, built with bpftool and with bpflink
#                The default is all, in this order.
#
# Exit status 1 if bpflink refuses what bpftool links, a program loads only from the other object,
# or a test of test_progs does worse.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
. tests/boot/boot.sh
choose_root newest "$@"

# copy_tree: the commit under test; uncommitted changes are not tested. The files of a former run that
# did not change keep their times, so that little is compiled again.
copy_tree() {
  [[ -e $root/bpflink/.git ]] || git init -q "$root/bpflink"
  git -C "$root/bpflink" fetch -q "$PWD" HEAD
  git -C "$root/bpflink" reset -q --hard FETCH_HEAD
}

need_root newest/kernel/vmlinuz fetch_kernel "$suite" amd64 "$root/newest/kernel"
copy_tree
echo "== The commit $(git log -1 --format='%h %s') in Debian's $suite"
in_root "$root" env ${PROGRAMS:+"PROGRAMS=$PROGRAMS"} ${SELFTESTS:+"SELFTESTS=$SELFTESTS"} \
  /bpflink/tests/newest/steps.sh "${rest[@]}"
