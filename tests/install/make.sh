#!/bin/bash
# The Make sample: builds, then has nothing to do, relinks when a library changes that only the linker
# names, and rebuilds what depends on a changed header.
. "$(dirname "$0")/common.sh"
needs jq
cd make

make >log
is_filter filter.o
[[ $(./check) == 'program filter of section socket, classes up to 4' ]] || fail 'no skeleton'
make -q || fail 'make has something left to do'
contains filter.d lib/librecord.a

age
touch lib/librecord.a
make >log
contains log 'bpflink main.bpf.o'
if grep -q clang log; then fail 'compiles again'; fi
make -q || fail 'make has something left to do'

age
touch ../program/record.h
make >log
[[ $(grep -c -- '--target=bpf' log) == 2 ]] || fail 'a changed header does not compile both'
contains log 'bpflink main.bpf.o'

age
touch ../program/sizes.h
make >log
[[ $(grep -c -- '--target=bpf' log) == 1 ]] || fail 'a header of the library alone does not compile one'
contains log 'bpflink main.bpf.o'

make compile_commands.json >log
has_commands compile_commands.json main.bpf.c record.bpf.c
make -B BPF_CFLAGS='-g -O1' >log
contains log '--target=bpf -g -O1 -idirafter'

# A failing link leaves no output newer than its inputs.
age
cat >>../program/record.bpf.c <<'EOF'
int no_such_function(int);
int uses_it(int n) { return no_such_function(n); }
EOF
if make >log 2>&1; then fail 'an undefined symbol is not an error'; fi
contains log 'undefined symbol: no_such_function'
if make >log 2>&1; then fail 'the second make believes in the first'; fi

# Beside an older clang and llvm-ar, the sample takes clang-19 and llvm-ar-19, with any shell of make.
mkdir "$tmp/tools"
ln -s "$(command -v false)" "$tmp/tools/clang"
ln -s "$(command -v false)" "$tmp/tools/llvm-ar"
for tool in clang-19 llvm-ar-19 uname bash dash; do
  if command -v $tool >/dev/null; then ln -s "$(command -v $tool)" "$tmp/tools"; fi
done
for shell in "$tmp"/tools/*sh; do
  PATH=$tmp/tools "$(command -v make)" -Bn SHELL="$shell" >log
  contains log 'clang-19 --target=bpf'
  contains log 'llvm-ar-19 rcs'
done
