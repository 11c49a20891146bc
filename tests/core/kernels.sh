#!/bin/bash
# Judges `bpfcore check` by Debian's kernels, booted in qemu: loads each program of each object alone,
# and holds what happens against what bpfcore said. Without KVM, a thousand objects take some ten
# minutes a kernel.
#
#   tests/core/kernels.sh [--objects DIRECTORY] [--loader DIRECTORY] [SUITE[/arm64]...]
#
#   --objects    linked objects, *.o; by default those of this project's tests (tests/run.sh)
#   --loader     has bin/load_each and its libraries, such as DIRECTORY/newest/root-clang of
#                tests/newest/run.sh: of another libbpf than this machine's
#   SUITE        whose kernels to boot; by default bullseye bookworm trixie sid experimental. With
#                /arm64, the kernel for arm64 loads the same objects by that suite's libbpf; it takes
#                twice as long.
#
# Results are in build/kernels. Exit status 1 if a kernel disagrees with bpfcore.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin

objects='' loader=''
while (($#)); do
  case $1 in
    --objects) objects=$(realpath "$2") && shift 2 ;;
    --loader) loader=$(realpath "$2") && shift 2 ;;
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

# make_guest DIRECTORY: what runs in the kernel, without a loader
make_guest() {
  rm -rf "$1"
  mkdir -p "$1/boot"
  cp -r "$objects" "$1/objects"
  cat >"$1/init" <<'END'
#!/bin/sh
. /guest.sh
begin
cd /objects
load_each *.o 2>&1 | result load
end
END
  chmod +x "$1/init"
}

# make_arm64_guest DIRECTORY SUITE: with a loader of the suite's libbpf. On failure prints the reason.
make_arm64_guest() {
  local packages=$1.packages system=$1.system package
  cmake/packages.sh boot_arm64 >/dev/null
  rm -rf "$packages" "$system"
  private_apt "$2" arm64 "$packages" || return
  mkdir -p "$packages/cache/archives/partial"
  apt-get -q -c "$packages/apt.conf" install -y -d --no-install-recommends libbpf-dev busybox-static \
    &>"$packages/log" || { echo "no libbpf of $2: $(tail -n 1 "$packages/log")" && return 1; }
  mkdir -p "$system"/{usr/lib,include}
  ln -s usr/lib "$system/lib"
  for package in "$packages"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -C "$system" -x --keep-directory-symlink
  done
  make_guest "$1"
  mkdir -p "$1"/{bin,usr/lib}
  ln -s usr/lib "$1/lib"
  ln -s ../usr/include/{bpf,{gelf,libelf}.h} "$system/include"
  aarch64-linux-gnu-gcc-12 -O2 -w -I"$system/include" tests/boot/load_each.c -o "$1/bin/load_each" \
    "$system"/usr/lib/aarch64-linux-gnu/lib{bpf,elf}.so.1 -Wl,--allow-shlib-undefined
  cp -L "$system"/usr/lib/ld-linux-aarch64.so.1 "$1/usr/lib"
  mkdir "$1/usr/lib/aarch64-linux-gnu"
  cp "$system"/usr/lib/aarch64-linux-gnu/{libc,libbpf,libelf,libz,libzstd}.so.[0-9] \
    "$1/usr/lib/aarch64-linux-gnu"
}

# judge SUITE[/arm64]
judge() {
  local suite=${1%/*} kernel=$work/${1/\//-} root=$work/root flavour=cloud-amd64
  local image config release why BOOT_ARCH=x86_64 BOOT_BUSYBOX=
  if [[ $1 == */arm64 ]]; then
    local BOOT_ACCELERATOR=tcg
    BOOT_ARCH=arm64 flavour=cloud-arm64 root=$work/root-arm64
    why=$(make_arm64_guest "$root" "$suite") || { echo "SKIPPED: $1: $why" && return; }
    BOOT_BUSYBOX=$(find "$root.system" -path '*bin/busybox')
  elif [[ ! -d $root/objects ]]; then
    make_guest "$root"
    if [[ $loader ]]; then
      cp -rL "$loader"/{bin,lib,lib64,usr} "$root" 2>/dev/null || true
      rm -rf "$root/lib/modules"
    else
      build_loader "$root"
    fi
  fi
  [[ -e $kernel/vmlinuz ]] || why=$(MODULES='' fetch_kernel "$suite" $flavour "$kernel") ||
    { echo "SKIPPED: $1: $why" && return; }
  image=$(realpath "$kernel/vmlinuz")
  release=$(basename "$image" | sed 's/^vmlinuz-//')
  if [[ $release == vmlinuz ]]; then release=$(basename "$(dirname "$image")"); fi
  for config in "$kernel"/{boot/config-"$release",usr/lib/modules/"$release"/config}; do
    if [[ -e $config ]]; then cp "$config" "$root/boot/config-$release"; fi
  done
  make_initramfs "$root" "$root.initramfs"
  rm -f "$root/boot/"*
  BOOT_MEMORY=2048 boot_kernel "$image" "$root.initramfs" "$kernel.console" 3600 ||
    { tail -n 5 "$kernel.console" && echo "FAIL: $1: the guest did not end" && return 1; }
  guest_results "$kernel.console" | grep '^load ' >"$kernel.loads"
  local options=()
  if [[ -e $config ]]; then options=(--config "$config"); fi
  report_core "$kernel.json" "$image" "$root/objects" "${options[@]}"
  printf '\n%s, Linux %s: ' "$1" "$release"
  tests/core/compare_loads.py "$kernel.json" "$kernel.loads"
}

rm -rf $work/root
status=0
for suite; do judge "$suite" || status=1; done
exit "$status"
