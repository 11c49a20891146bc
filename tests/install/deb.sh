#!/bin/bash
# The Debian packages install into a clean root with what they say they need, and
# work there: the linker links, a program runs with the shared library.
. "$(dirname "$0")/common.sh"
needs debootstrap cpack dpkg-deb dpkg-shlibdeps
((EUID == 0)) || skip 'a clean root can be made by root only'
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[[ -e /usr/share/debootstrap/scripts/$suite ]] || skip "debootstrap does not know '$suite'"

(cd "$BUILD" && cpack -G DEB -B "$tmp/packages" >"$tmp/cpack.log") || fail "cpack: $(<"$tmp/cpack.log")"
packages=("$tmp"/packages/*.deb)
((${#packages[@]} == 3)) || fail "packages: ${packages[*]}"

# The clean root is kept for the next time.
clean=$BUILD/clean-root.$suite.tar
if [[ ! -e $clean ]]; then
  mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
  if ! debootstrap --variant=minbase "$suite" "$tmp/clean" "$mirror" >"$tmp/debootstrap.log" 2>&1; then
    skip "debootstrap cannot make a clean root: $(tail -n 1 "$tmp/debootstrap.log")"
  fi
  tar -C "$tmp/clean" --exclude=./var/cache/apt/archives/*.deb -cf "$clean.new" .
  mv "$clean.new" "$clean"
fi
root=$tmp/root
mkdir "$root"
tar -C "$root" -xf "$clean"

cp "${packages[@]}" "$root/tmp"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
in_root sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /tmp/*.deb' \
  >"$tmp/apt.log" 2>&1 || {
  if grep -qE 'Temporary failure resolving|Could not connect|Unable to fetch' "$tmp/apt.log"; then
    skip "the clean root has no network: $(grep -m 1 -E 'Temporary|Could not|Unable' "$tmp/apt.log")"
  fi
  fail "$(tail -n 20 "$tmp/apt.log")"
}

(cd make && make >log)
cp make/main.bpf.o make/record.bpf.o "$root/tmp"
in_root bpflink /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/filter.o
is_filter "$root/tmp/filter.o"
in_root btfdedup /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/all.btf
[[ -s $root/tmp/all.btf ]] || fail 'btfdedup has written nothing'
[[ -e $root/usr/share/man/man1/bpflink.1 || -e $root/usr/share/man/man1/bpflink.1.gz ]] ||
  fail 'no manual page'
in_root ldconfig -p >libraries
contains libraries libbpflink.so.0
contains libraries libbpflink-libbpf.so.0

"$CC" ../c_api/inspect.c -I"$root/usr/include" -L"$root/usr/lib" -lbpflink -o "$root/tmp/inspect"
in_root /tmp/inspect /tmp/main.bpf.o /tmp/record.bpf.o >report
contains report 'program filter: section socket'

in_root sh -c 'apt-get -q purge -y bpflink libbpflink0 libbpflink-dev' >"$tmp/apt.log" 2>&1
left=$(find "$root/usr" -name '*bpflink*')
[[ -z $left ]] || fail "left behind: $left"
