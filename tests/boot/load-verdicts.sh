#!/bin/bash
# Judges `bpfcore load` by another loader, on the newest kernels of Debian suites: veristat, of the source of Linux
# of Debian 13, loads each program of each object alone, in a guest of its own. (Newer ones prepare whole objects.)
# Fails where one of the two loads a program and the other does not. Not compared is what struct_ops maps decide:
# bpfcore loads all programs of a map together, and does not create the maps of others.
#
#   tests/boot/load-verdicts.sh [--objects DIRECTORY] [--programs N] [SUITE...]
#
#   --objects    objects, *.o; by default those of this project's tests, which tests/run.sh has built, and of
#                some of the kernel's selftests
#   --programs   how many to compare at least; 300 by default
#   SUITE        whose kernels to boot; by default trixie sid
#
# Results are in build/load-verdicts. It takes some minutes; run it before a release.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin

objects='' programs=300
while (($#)); do
  case $1 in
    --objects) objects=$(realpath "$2") && shift 2 ;;
    --programs) programs=$2 && shift 2 ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) break ;;
  esac
done
if (($# == 0)); then set -- trixie sid; fi
cmake/packages.sh build bpf boot >/dev/null
cmake/libbpf.sh
libbpf=$PWD/build/libbpf work=$PWD/build/load-verdicts root=$PWD/build/load-verdicts/root
rm -rf "$work"
mkdir -p "$root"/{bin,objects,boot}

# veristat with the same libbpf, so that only the loading programs differ
selftests=$work/tools/testing/selftests/bpf
why=$(fetch_linux_source trixie "$work" tools/testing/selftests/bpf) || { echo "no veristat: $why" && exit 1; }
gcc -O2 -w -static -D_GNU_SOURCE -I"$libbpf/include" "$selftests/veristat.c" \
  "$libbpf/libbpf.a" -lelf -lz -lzstd -o "$root/bin/veristat"
cat >"$root/init" <<'END_OF_INIT'
#!/bin/sh
. /guest.sh
begin
ulimit -l unlimited
ln -s /config "/boot/config-$(uname -r)"
cd /objects
for object in *.o; do veristat -o csv -e file,prog,verdict "$object" 2>/dev/null | grep -v '^file' | result verdict; done
end
END_OF_INIT
chmod +x "$root/init"

# make_objects SUITE: fills the guest's folder; what this clang does not compile is left out
make_objects() {
  local source
  if [[ $objects ]]; then cp "$objects"/*.o "$root/objects" && return; fi
  make_own_objects "$work/own"
  cp "$work"/own/after/*.o "$root/objects"
  "$OWN_PROGRAMS/btfdedup" --dump c "$work/$1/vmlinuz" >"$work/vmlinux.h"
  for source in "$selftests"/progs/verifier_[a-d]*.c; do
    clang-19 -g -O2 --target=bpf -mcpu=v3 -w -D__TARGET_ARCH_x86 -I"$work" -I"$libbpf/include" -I/usr/include/bpf \
      -I"$selftests" -I"/usr/include/$(uname -m)-linux-gnu" -c "$source" \
      -o "$root/objects/$(basename "$source" .c).o" 2>/dev/null || true
  done
}

# judge SUITE
judge() {
  local kernel=$work/$1 image why
  why=$(MODULES='' fetch_kernel "$1" cloud-amd64 "$kernel") || { echo "no kernel: $1: $why" && return 1; }
  [[ $(ls "$root/objects") ]] || make_objects "$1"
  image=$(realpath "$kernel/vmlinuz")
  cp "$(find "$kernel" -name 'config-*' -o -path '*/modules/*/config' | head -n 1)" "$root/config"
  make_initramfs "$root" "$root.initramfs"
  BOOT_MEMORY=2048 boot_kernel "$image" "$root.initramfs" "$kernel.console" 3600 ||
    { tail -n 5 "$kernel.console" && echo "FAIL: $1: the guest did not end" && return 1; }
  guest_results "$kernel.console" | sed -n 's/^verdict //p' | tr , '\t' >"$kernel.veristat"
  (cd "$root/objects" && load_programs "$kernel" ./*.o --kernel "$image" --config "$root/config") || return
  jq -r '[.objects[] | select(.struct_ops).name] as $ops | .programs[] | [(.object | ltrimstr("./")), .program,
    .load.result, .load.message // "", (.object | IN($ops[]))] | @tsv' "$kernel.json" |
    sort >"$kernel.bpfcore"
  printf '%s, Linux %s: ' "$1" "$(jq -r '.kernels[0].release' "$kernel.json")"
  awk -F '\t' -v least="$programs" '
    NR == FNR { verdict[$1, $2] = $3; next }
    !(($1, $2) in verdict) { ++missing; next }
    $3 == "together" || $5 == "true" && $3 == "loads" && verdict[$1, $2] == "failure" { ++of_maps; next }
    { ++compared; loads += $3 == "loads" }
    (verdict[$1, $2] == "success") != ($3 == "loads") {
      ++differ
      lines = lines sprintf("  %s %s: veristat: %s; bpfcore: %s %s\n", $1, $2, verdict[$1, $2], $3, $4)
    }
    END {
      printf "%d programs compared, %d load; %d differ; not compared: %d of struct_ops maps, %d unknown to veristat\n%s",
        compared, loads, differ, of_maps, missing, lines
      exit differ > 0 || compared < least
    }' "$kernel.veristat" "$kernel.bpfcore"
}

status=0
for suite; do judge "$suite" || status=1; done
exit "$status"
