#!/bin/bash
# Judges `bpfcore check` by Debian's kernels: `bpfcore load` boots them, and says where the two disagree.
# Without KVM, a thousand objects take some ten minutes a kernel.
#
#   tests/core/kernels.sh [--objects DIRECTORY] [SUITE[/arm64]...]
#
#   --objects    linked objects, *.o; by default those of this project's tests (tests/run.sh)
#   SUITE        whose kernels to boot; by default bullseye bookworm trixie sid experimental. With
#                /arm64, the kernel for arm64 loads the same objects; it takes twice as long.
#
# BPFCORE_INIT may name a bpfcore-init with another libbpf than this machine's. Results are in
# build/kernels. Exit status 1 if a kernel disagrees with bpfcore.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin

objects=''
while (($#)); do
  case $1 in
    --objects) objects=$(realpath "$2") && shift 2 ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) break ;;
  esac
done
if (($# == 0)); then set -- bullseye bookworm trixie sid experimental; fi
cmake/packages.sh bpf boot >/dev/null
work=build/kernels
mkdir -p $work
if [[ ! $objects ]]; then
  rm -rf $work/own
  make_own_objects $work/own
  objects=$work/own/after
fi

# build_arm64_init FILE: bpfcore-init for arm64, with this Debian's libbpf. On failure prints the reason.
build_arm64_init() {
  local system=$1.system package
  cmake/packages.sh boot_arm64 >/dev/null
  private_apt "$(. /etc/os-release && echo "$VERSION_CODENAME")" arm64 "$1.packages" || return
  mkdir -p "$system"
  (cd "$system" && apt-get -q -c "$1.packages/apt.conf" download {libbpf,libelf,zlib1g}-dev) &>"$1.log" ||
    { echo "no libbpf for arm64: $(tail -n 1 "$1.log")" && return 1; }
  for package in "$system"/*.deb; do dpkg-deb -x "$package" "$system"; done
  mkdir -p "$system/include" && ln -sfn ../usr/include/bpf "$system/include/bpf"
  aarch64-linux-gnu-gcc-12 -O2 -w -static -Wl,--wrap=syscall -I"$system/include" linker/programs/bpfcore/load/init.c -o "$1" \
    "$system"/usr/lib/aarch64-linux-gnu/lib{bpf,elf,z}.a
}

# judge SUITE[/arm64]
judge() {
  local suite=${1%/*} kernel=$PWD/$work/${1/\//-} flavour=cloud-amd64 why
  if [[ $1 == */arm64 ]]; then
    flavour=cloud-arm64
    local -x BPFCORE_INIT=$PWD/$work/bpfcore-init-arm64
    [[ -e $BPFCORE_INIT ]] || why=$(build_arm64_init "$BPFCORE_INIT") || { echo "SKIPPED: $1: $why" && return; }
  fi
  [[ -e $kernel/vmlinuz ]] || why=$(MODULES='' fetch_kernel "$suite" $flavour "$kernel") ||
    { echo "SKIPPED: $1: $why" && return; }
  load_programs "$kernel" "$objects"/*.o --kernel "$(realpath "$kernel/vmlinuz")" || return
  echo "$1, Linux $(jq -r '.kernels[0].release' "$kernel.json")"
  judge_loads "$kernel.json"
}

status=0
for suite; do judge "$suite" || status=1; done
exit "$status"
