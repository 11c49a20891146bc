#!/bin/bash
# Judges bpflink as rustc's linker for BPF, with the rustc and the clang that a suite of Debian has today:
# programs of several crates (tests/newest/rust), each as cargo builds it by default and in other ways, and
# samples/rust_bpf. Each must link without a word, load into this machine's kernel, and return what its
# source says. Takes half an hour; run it as root, before a release.
#
#   tests/newest/rust.sh [--suite SUITE] [--directory DIRECTORY] [WAY...]
#
#   SUITE        sid by default, or experimental, whose rustc stands beside sid's rest
#   DIRECTORY    the root, some 4 GB; the default is build/rust.SUITE. It is used again if it exists
#   WAY          OPT-LEVEL,LTO,CODEGEN-UNITS,DEBUG, such as 3,off,16,2. The default is a list in which
#                any two values stand together once, or nearly so
#
# PROGRAMS is a directory with bpflink, bpflink-lto and bpf_run, as static as can be; the default is
# build/release/bin.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. .ci/root.sh
choose_root rust "$@"
ways=("${rest[@]}")
if ((${#ways[@]} == 0)); then
  # shellcheck disable=SC2054 # the commas are within them
  ways=(3,false,16,0 3,fat,1,2 3,thin,16,1 2,false,1,1 2,thin,1,0 2,fat,16,2 1,false,16,2 1,thin,1,2 1,fat,1,0
    0,false,1,2 0,fat,16,1 s,false,16,2 s,thin,16,0 s,fat,1,1)
fi

newest=()
if [[ $suite == experimental ]]; then newest=(-t experimental); fi
need_root usr/bin/cargo install_packages "$root" "${newest[@]}" rustc cargo rust-src clang libbpf1
rm -rf "$root"/judge/{programs,sample,log.*}
mkdir -p "$root/judge/bin/rust"
cp "${PROGRAMS:-build/release/bin}"/{bpflink,bpflink-lto,bpf_run} "$root/judge/bin"
ln -sf ../bpflink "$root/judge/bin/rust/bpf-linker"
cp -r tests/newest/rust "$root/judge/programs"
cp -r samples/rust_bpf "$root/judge/sample"
rm -r "$root/judge/sample/.cargo"

cat >"$root/judge/run.sh" <<'END'
# Within the root
set -uo pipefail
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_BPFEL_UNKNOWN_NONE_LINKER=/judge/bin/rust/bpf-linker
status=0
# build LOG: core's own dependencies are in rust-src
build() {
  cargo --offline --config 'source.crates-io.replace-with="vendored"' \
    --config "source.vendored.directory=\"$(realpath "$(rustc --print sysroot)/lib/rustlib/src/rust/library/vendor")\"" \
    build --release -Zbuild-std=core --target bpfel-unknown-none --keep-going >"$1" 2>&1
}
# judge OBJECT CHECK...: prints what it is
judge() {
  if [[ ! -e $1 ]]; then echo 'not linked'; return 1; fi
  if ! timeout 60 /judge/bin/bpf_run "$@" >"$1.ran" 2>&1; then
    if grep -q 'does not load' "$1.ran"; then echo 'not loaded'; else echo wrong; fi
    return 1
  fi
  echo "$(stat -c %s "$1") bytes"
}
PATH=$(ls -d /usr/lib/llvm-*/bin | sort -V | tail -n 1):$PATH # clang without a version
rustc -vV | grep -E '^(release|LLVM)'
clang --version | head -n 1
printf '%-16s' way
cd /judge/programs
for source in programs/src/bin/*.rs; do printf '%14s' "$(basename "$source" .rs)"; done
echo
for way; do
  IFS=, read -r opt lto units debug <<<"$way"
  export CARGO_PROFILE_RELEASE_OPT_LEVEL=$opt CARGO_PROFILE_RELEASE_LTO=$lto CARGO_PROFILE_RELEASE_DEBUG=$debug
  export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=$units CARGO_TARGET_DIR=/judge/target.$way
  rm -rf "$CARGO_TARGET_DIR/bpfel-unknown-none/release"
  build "/judge/log.$way" || status=1
  printf '%-16s' "$way"
  for source in programs/src/bin/*.rs; do
    if [[ $debug != 2 ]] && grep -q '^// needs: debug' "$source"; then
      result=-
    else
      read -ra checks < <(sed -n 's|^// check: ||p' "$source")
      # Variables are checked by their types.
      if [[ $debug != 2 ]]; then checks=("${checks[@]/#[A-Z]*/}"); fi
      result=$(judge "$CARGO_TARGET_DIR/bpfel-unknown-none/release/$(basename "$source" .rs)" ${checks[@]}) || status=1
    fi
    printf '%14s' "$result"
  done
  echo
done
cd /judge/sample
unset "${!CARGO_PROFILE@}"
export CARGO_TARGET_DIR=/judge/target.sample
build /judge/log.sample
echo "samples/rust_bpf: $(judge $CARGO_TARGET_DIR/bpfel-unknown-none/release/program 'area()=42')" || status=1
grep -h 'bpflink:' /judge/log.* | grep -v 'has no BTF\|no input has BTF' | sort | uniq -c && status=1
exit $status
END
in_root "$root" bash /judge/run.sh "${ways[@]}"
