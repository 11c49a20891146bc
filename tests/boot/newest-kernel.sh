#!/bin/bash
# Boots the newest kernel that Debian has now, in qemu, and loads what tests/run.sh has built: each
# program of each object of tests/api and tests/link, alone, as compiled and as bpflink linked it.
# Fails if a program loads only as compiled. Groups of objects are compared with bpftool's links.
#
#   tests/boot/newest-kernel.sh [SUITE...]    the first that apt reaches; the default is sid trixie
#
# Without a mirror or qemu it prints why it is skipped, and succeeds.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
PATH=$PATH:/usr/sbin:/sbin
bpflink=$PWD/build/release/bin/bpflink
sources=$PWD/tests/link fixtures=$PWD/build/release/tests/api
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

# Links `before/NAME` to `after/NAME`; an object that does not link alone is no subject here.
link_alone() {
  if ! "$bpflink" "before/$1" -o "after/$1" 2>/dev/null; then rm "before/$1"; fi
}

# compile_cases: compiles each program that a case of tests/link writes to a file
compile_cases() {
  local source
  awk -v end="'EOF'" '
    $1 == "compile" && $NF == "<<" end { file = sprintf("%03d.bpf.c", ++n); next }
    $0 == "EOF" { file = "" }
    file { print >file }' "$sources"/*.sh
  for source in *.bpf.c; do
    clang-19 -g -O2 --target=bpf -mcpu=v3 -w -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h \
      -include bpf/bpf_helpers.h -c "$source" -o "before/${source%.bpf.c}.o" 2>/dev/null || true
  done
}

# link_group NAME OBJECT...
link_group() {
  bpftool gen object "before/$1.o" "${@:2}" 2>/dev/null || return 0
  "$bpflink" "${@:2}" -o "after/$1.o"
}

make_objects() {
  local object
  compile_cases
  for object in "$fixtures"/*.o; do
    if [[ $object != *-be.o && $object != *-nobtf.o ]]; then cp "$object" before; fi
  done
  for object in before/*.o; do link_alone "${object#*/}"; done
  link_group group-packets "$fixtures"/{packets,tally}.o
  link_group group-state "$fixtures"/{counters,state}.o
  link_group group-meter "$fixtures"/{metered,meter}.o
}

((EUID == 0)) || skip 'not root'
[[ -x $bpflink ]] || skip "no $bpflink: run tests/run.sh"
[[ $(uname -m) == x86_64 ]] || skip 'this is no x86-64'
cmake/packages.sh bpf boot >"$tmp/log" 2>&1 || skip "no qemu: $(tail -n 1 "$tmp/log")"
if (($# == 0)); then set -- sid trixie; fi
fetch_first "$@" || skip "$why"

root=$tmp/root
mkdir -p "$root"/objects/{before,after}
(cd "$root/objects" && make_objects && rm -f ./*.bpf.c)
build_loader "$root"
cat >"$root/init" <<'END'
#!/bin/sh
. /guest.sh
begin
cd /objects
load_each before/*.o after/*.o 2>&1 | result load
end
END
chmod +x "$root/init"
make_initramfs "$root" "$tmp/initramfs"
boot_kernel "$tmp/kernel/vmlinuz" "$tmp/initramfs" "$tmp/console" 600 ||
  { tail -n 20 "$tmp/console" && echo 'FAIL: the guest did not end' && exit 1; }
guest_results "$tmp/console" >"$tmp/results"
objects=("$root"/objects/after/*.o)
echo "Linux $(sed -n 's/^kernel //p' "$tmp/results"), ${#objects[@]} objects"
compare_loads before after <"$tmp/results"
