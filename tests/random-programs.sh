#!/bin/bash
# Runs kernel/same-as-native.sh with the compilers of another Debian suite, by hand before a release.
#
#   tests/random-programs.sh SUITE FIRST LAST [SET...]
#
# FIRST to LAST are the seeds; `SET...` are sets of compilers of same-as-native.sh, by default all that
# the suite has. The suite's root is build/random.SUITE (or ROOT), which stays for the next run.
# bpflink, of build/release, runs there too, with the suite's LLVM. BPF_RUN defaults to that of
# build/release.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/root.sh
suite=$1 seeds=$(seq -s ' ' "$2" "$3")
shift 3
root=${ROOT:-$PWD/build/random.$suite}

install_compilers() {
  local version
  install_packages "$root" clang gcc-bpf binutils-bpf rustc rust-src || return
  version=$(in_root "$root" rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
  install_packages "$root" "llvm-$version" && ln -sf "llc-$version" "$root/usr/bin/llc-of-rustc"
}
need_root usr/bin/llc-of-rustc install_compilers

# No suite packages a core library for BPF; the sources are enough. Programs without panics need no
# compiler_builtins, but rustc wants one.
make_rust_core() {
  local options='--crate-type rlib --target bpfel-unknown-none -O -C panic=abort --cap-lints allow
    -Zforce-unstable-if-unmarked --out-dir /var/lib/rust-bpf -L /var/lib/rust-bpf'
  mkdir -p "$root/var/lib/rust-bpf"
  echo '#![feature(compiler_builtins)] #![compiler_builtins] #![no_std]' >"$root/var/lib/rust-bpf/empty.rs"
  in_root "$root" env RUSTC_BOOTSTRAP=1 sh -euc '
    rustc $1 --edition 2024 --crate-name core "$(rustc --print sysroot)"/lib/rustlib/src/rust/library/core/src/lib.rs
    rustc $1 --edition 2021 --crate-name compiler_builtins /var/lib/rust-bpf/empty.rs' sh "$options"
}
[[ -e $root/var/lib/rust-bpf/libcompiler_builtins.rlib ]] || make_rust_core

# Commands that run in the root, where the programs lie in /tmp.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
# in_suite NAME SCRIPT: makes a command; the script gets its arguments
in_suite() {
  cat >"$commands/$1" <<END
#!/bin/bash
exec chroot '$root' env -i -C "\${PWD#'$root'}" PATH=/usr/bin:/bin HOME=/root TMPDIR=/tmp sh -euc '$2' sh "\$@"
END
  chmod +x "$commands/$1"
}
in_suite clang 'exec clang "$@"'
in_suite bpf-gcc 'exec bpf-gcc "$@"'
in_suite rust-bpf 'rustc --edition 2021 --target bpfel-unknown-none -C opt-level=2 -C debuginfo=2 -C panic=abort \
  -L /var/lib/rust-bpf --crate-type lib --emit=llvm-bc "$1" -o "$2.bc"
  llc-of-rustc -march=bpf -mcpu=v3 -filetype=obj "$2.bc" -o "$2"'
in_suite rust-bitcode 'rustc --edition 2021 --target bpfel-unknown-none -C opt-level=2 -C debuginfo=2 -C panic=abort -C target-cpu=v3 \
  -L /var/lib/rust-bpf --crate-type lib --emit=llvm-bc "$1" -o "$2"'
mkdir -p "$root/usr/local/libexec/bpflink"
cp build/release/bin/bpflink "$root/usr/local/bin"
cp build/release/bin/bpflink-lto "$root/usr/local/libexec/bpflink"
in_suite bpflink 'exec /usr/local/bin/bpflink "$@"'
in_suite rust-native 'rustc --edition 2021 -C opt-level=1 -C panic=abort --crate-type lib --emit=obj "$1" -o "$2"'

export TMPDIR=$root/tmp SEEDS=$seeds COMPILERS=${*:-clang gcc mixed rust clang-be gcc-be mixed-be bitcode mixed-bitcode rust-bitcode}
export CC=$commands/clang BPF_GCC=$commands/bpf-gcc RUST_BPF=$commands/rust-bpf RUST_NATIVE=$commands/rust-native
export RUST_BITCODE=$commands/rust-bitcode BPFLINK=$commands/bpflink BPF_RUN=${BPF_RUN:-build/release/bin/bpf_run}
tests/kernel/same-as-native.sh
