#!/bin/bash
# Judges `btfdedup --check --target` by Debian's kernels, booted in qemu: gives each blob of BTF to the
# kernel, and holds what happens against what btfdedup says of its release. So do unit/btf_test's
# random blobs. A kernel takes a minute without KVM. Three things count as neither: stable releases took
# over dots in names, of too many types a kernel takes the first, and whether it knows what a kptr
# points to (ENOENT) is not in the blob.
#
#   tests/boot/btf-verdicts.sh [--objects DIRECTORY] [--blobs DIRECTORY] [--seeds N] [SUITE...]
#
#   --objects    objects, *.o, whose BTF to give as libbpf passes it; by default those of this
#                project's tests. tests/run.sh has built the programs
#   --blobs      more blobs, *.btf, beside those of tests/messages/check.sh
#   --seeds      of random blobs, 600 each; 10 by default
#   SUITE        whose kernels to boot; by default bullseye bookworm trixie sid experimental
#
# Results are in build/verdicts. Exit status 1 if a kernel disagrees.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin

objects='' blobs='' seeds=10
while (($#)); do
  case $1 in
    --objects) objects=$(realpath "$2") && shift 2 ;;
    --blobs) blobs=$(realpath "$2") && shift 2 ;;
    --seeds) seeds=$2 && shift 2 ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) break ;;
  esac
done
if (($# == 0)); then set -- bullseye bookworm trixie sid experimental; fi
cmake/packages.sh bpf boot >/dev/null
work=$PWD/build/verdicts root=$PWD/build/verdicts/root
rm -rf "$root"
mkdir -p "$root"/{bin,blobs}

# The blobs
if [[ ! $objects ]]; then
  rm -rf "$work/own"
  make_own_objects "$work/own"
  objects=$work/own/after
fi
"$OWN_PROGRAMS/loaded_btf" "$root/blobs" "$objects"/*.o
if [[ $blobs ]]; then cp "$blobs"/*.btf "$root/blobs"; fi
KEPT_BLOBS=$root/blobs BPFLINK=$OWN_PROGRAMS/bpflink BTFDEDUP=$OWN_PROGRAMS/btfdedup bash tests/messages/check.sh >/dev/null

# The guest
gcc -O2 -Wall tests/boot/load_btf.c -o "$root.load_btf"
for program in "$root.load_btf" "$OWN_PROGRAMS/btf_test"; do copy_program "$program" "$root"; done
mv "$root/bin/$(basename "$root.load_btf")" "$root/bin/load_btf"
cat >"$root/init" <<END
#!/bin/sh
. /guest.sh
begin
cd /blobs
ls | xargs load_btf 2>&1 | result blob
BPFLINK_SEEDS=$seeds btf_test -tc='the kernel and check_btf*' 2>&1 | result random
end
END
chmod +x "$root/init"
make_initramfs "$root" "$root.initramfs"

# judge SUITE
judge() {
  local kernel=$work/$1 release why
  [[ -e $kernel/vmlinuz ]] || why=$(MODULES='' fetch_kernel "$1" cloud-amd64 "$kernel") ||
    { echo "SKIPPED: $1: $why" && return; }
  BOOT_MEMORY=2048 boot_kernel "$kernel/vmlinuz" "$root.initramfs" "$kernel.console" 3600 ||
    { tail -n 5 "$kernel.console" && echo "FAIL: $1: the guest did not end" && return 1; }
  guest_results "$kernel.console" >"$kernel.results"
  release=$(sed -n 's/^kernel \([0-9]*\.[0-9]*\).*/\1/p' "$kernel.results")
  (cd "$root/blobs" && "$OWN_PROGRAMS/btfdedup" --check --json --target "linux-$release" -- *.btf || (($? == 1))) |
    jq -r '.[] | select(.rules == "program") | [.file,
      if .accepted then "taken"
      elif .needs.for == "a dot in a name" or [.faults[].rule] == ["type-count"] then "either"
      else "refused" end] | @tsv' >"$kernel.said"
  printf '%s, Linux %s: ' "$1" "$release"
  sed -n 's/^blob //p' "$kernel.results" | awk -F '\t' '
    NR == FNR { said[$1] = $2; next }
    $1 in said {
      count[$2 == "taken"]++
      if (said[$1] == "either" || $2 ~ /^No such file/ || ($2 == "taken") == (said[$1] == "taken")) next
      wrong++
      lines = lines sprintf("  %s: the kernel: %s; btfdedup: %s\n", $1, $2, said[$1])
    }
    END {
      printf "%d blobs taken, %d refused, %d differ\n%s", count[1], count[0], wrong, lines
      exit wrong > 0 || count[0] + count[1] != length(said)
    }' "$kernel.said" - || return 1
  grep '^random ' "$kernel.results" | grep -oE '[0-9]+ blobs, of which .*|the kernel: .*' | sed 's/^/  random: /'
  grep -q '^random .*SUCCESS' "$kernel.results"
}

status=0
for suite; do judge "$suite" || status=1; done
exit "$status"
