#!/bin/bash
# The Meson sample with the installed pkg-config file: builds, then has nothing to do, rebuilds only
# what depends on a changed header, and writes compile commands.
. "$(dirname "$0")/common.sh"
needs meson ninja jq
cd meson

# rebuilt SOURCES OBJECTS: how many sources the build compiles and objects it links
rebuilt() {
  ninja -v -C build >log
  [[ $(grep -c -- '--target=bpf' log) == "$1" ]] || fail "not $1 compiled: $(<log)"
  [[ $(grep -c -- 'bpflink .*--dependency-file' log) == "$2" ]] || fail "not $2 linked: $(<log)"
}

# Meson takes a clang without a version in its name last.
mkdir "$tmp/older"
ln -s "$(command -v false)" "$tmp/older/clang"
if command -v clang-19 >/dev/null; then PATH=$tmp/older:$PATH; fi

meson setup build >log
rebuilt 2 1
is_filter build/bpf/filter.o
[[ $(build/check) == 'program filter of section socket, classes up to 4' ]] || fail 'no skeleton'
build/report build/bpf/filter.o >report
contains report 'socket_filter program filter'
rebuilt 0 0
contains log 'no work to do'
age
touch ../program/record.h
rebuilt 2 1
age
touch ../program/sizes.h
rebuilt 1 1

has_commands build/bpf/compile_commands.json main.bpf.c record.bpf.c
meson configure build -Dbpf_args=-g,-O1 >log
rebuilt 2 1
contains log '--target=bpf -g -O1 -idirafter'
