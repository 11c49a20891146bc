#!/bin/bash
# Judges `bpfcore check` by Debian's kernels, booted in qemu: loads each program of each object alone,
# and holds what happens against what bpfcore said. Without KVM, a thousand objects take some ten
# minutes a kernel.
#
#   tests/core/kernels.sh [--objects DIRECTORY] [--loader DIRECTORY] [SUITE...]
#
#   --objects    linked objects, *.o; by default those of this project's tests (tests/run.sh)
#   --loader     has bin/load_each and its libraries, such as DIRECTORY/newest/root-clang of
#                tests/newest/run.sh: of another libbpf than this machine's
#   SUITE        whose kernels to boot; by default bullseye bookworm trixie sid
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
if (($# == 0)); then set -- bullseye bookworm trixie sid; fi
cmake/packages.sh bpf boot >/dev/null
work=build/kernels
root=$work/root
rm -rf "$root"
mkdir -p "$root/boot"
if [[ ! $objects ]]; then
  rm -rf $work/own
  make_own_objects $work/own
  objects=$work/own/after
fi
if [[ $loader ]]; then
  cp -rL "$loader"/{bin,lib,lib64,usr} "$root" 2>/dev/null || true
  rm -rf "$root/lib/modules"
else
  build_loader "$root"
fi
cp -r "$objects" "$root/objects"
cat >"$root/init" <<'END'
#!/bin/sh
. /guest.sh
begin
cd /objects
load_each *.o 2>&1 | result load
end
END
chmod +x "$root/init"

# judge SUITE
judge() {
  local kernel=$work/$1 image config release why
  [[ -e $kernel/vmlinuz ]] || why=$(MODULES='' fetch_kernel "$1" cloud-amd64 "$kernel") ||
    { echo "SKIPPED: $1: $why" && return; }
  image=$(realpath "$kernel/vmlinuz")
  release=$(file -b "$image" | sed -n 's/.* version \([^ ]*\) .*/\1/p')
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

status=0
for suite; do judge "$suite" || status=1; done
exit "$status"
