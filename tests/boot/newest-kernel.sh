#!/bin/bash
# Boots the newest kernel that Debian has now, in qemu, and loads what tests/run.sh has built: each
# program of each object of tests/api and tests/link, alone, as compiled and as bpflink linked it.
# Fails if a program loads only as compiled. Groups of objects are compared with bpftool's links. Also
# holds the verdicts of bpfcore against what loads.
#
#   tests/boot/newest-kernel.sh [SUITE...]    the first that apt reaches; the default is sid trixie
#
# Without a mirror or qemu it prints why it is skipped, and succeeds.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin
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

((EUID == 0)) || skip 'not root'
[[ -x $OWN_PROGRAMS/bpflink ]] || skip "no $OWN_PROGRAMS/bpflink: run tests/run.sh"
[[ $(uname -m) == x86_64 ]] || skip 'this is no x86-64'
cmake/packages.sh bpf boot >"$tmp/log" 2>&1 || skip "no qemu: $(tail -n 1 "$tmp/log")"
if (($# == 0)); then set -- sid trixie; fi
fetch_first "$@" || skip "$why"

root=$tmp/root
mkdir -p "$root/objects"
make_own_objects "$root/objects"
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
status=0
compare_loads before after <"$tmp/results" || status=1
report_core "$tmp/core.json" "$tmp/kernel/vmlinuz" "$root/objects/after"
grep '^load after/' "$tmp/results" >"$tmp/loads"
tests/core/compare_loads.py "$tmp/core.json" "$tmp/loads" || status=1
exit "$status"
