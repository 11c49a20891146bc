#!/bin/bash
# The sample of two files in C and one in Rust, optimized as one program with the installed bpflink.
. "$(dirname "$0")/common.sh"
needs clang-19 make rustc
# rustup's compiler has no sources, and may not know the options.
PATH=/usr/bin:$PATH
core=$(rustc --print sysroot)/lib/rustlib/src/rust/library/core/src/lib.rs
[[ -r $core ]] || skip 'no sources of the core library of Rust: the package rust-src has them'
read_snippets "$repository/README.md"
cd "$tmp"
bash -euc "$(snippet 'As one program' 1)" >log 2>&1 || {
  grep -q 'there is no library of LLVM' log && skip "$(grep -m 1 'no library' log)"
  fail "$(<log)"
}
cd samples/whole_program
llvm-objdump-19 -d --no-show-raw-insn walk.o >code
contains code '<hash_of_ancestors>:'
# All three files are one function: a hash of FNV's prime, and no call but the helper's.
contains code '0x1000193'
[[ $(grep -cw 'call' code) == 1 ]] || fail "calls: $(<code)"
if [[ -d /sys/fs/bpf ]] && bpftool prog loadall walk.o "/sys/fs/bpf/walk-$$" 2>log; then
  rm -r "/sys/fs/bpf/walk-$$"
else
  echo "not loaded: $(tail -n 1 log)"
fi

# Without rustc, it says what it needs.
make clean >log
mkdir none && ln -s "$(command -v sh)" "$(command -v make)" none
if PATH=$PWD/none make libcore.rlib >log 2>&1; then fail 'made without rustc'; fi
contains log 'needs rustc and rust-src: cmake/packages.sh rust'
