#!/bin/bash
# The Debian packages install into a clean root with what they say they need, and
# work there: the linker links, a program runs with the shared library.
. "$(dirname "$0")/common.sh"
. "$repository/.ci/root.sh"
needs cpack dpkg-deb dpkg-shlibdeps file
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

(cd "$BUILD" && cpack -G DEB -B "$tmp/packages" >"$tmp/cpack.log") || fail "cpack: $(<"$tmp/cpack.log")"
packages=("$tmp"/packages/*.deb)
((${#packages[@]} == 3)) || fail "packages: ${packages[*]}"

# The tarball is kept for the next time.
root=$tmp/root
why=$(make_root "$root" "$suite" "$BUILD/clean-root.$suite.tar") || skip "no clean root: $why"
cp "${packages[@]}" "$root/tmp"
in_root "$root" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /tmp/*.deb' \
  >"$tmp/apt.log" 2>&1 || fail "$(tail -n 20 "$tmp/apt.log")"

(cd make && make >log)
cp make/main.bpf.o make/record.bpf.o "$root/tmp"
in_root "$root" bpflink /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/filter.o
is_filter "$root/tmp/filter.o"
in_root "$root" btfdedup /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/all.btf
[[ -s $root/tmp/all.btf ]] || fail 'btfdedup has written nothing'
in_root "$root" bpfcore minimize /tmp/filter.o --kernel /tmp/all.btf -o /tmp/minimized
[[ -s $root/tmp/minimized/index.json ]] || fail 'bpfcore has written nothing'
for page in man1/{bpflink,bpftool-bpflink,btfdedup,bpfskel,bpfcore}.1 man3/bpflink.h.3 man5/bpflink-reports.5 man7/bpflink-{bpftool,cmake}.7; do
  page=$root/usr/share/man/$page
  [[ -e $page || -e $page.gz ]] || fail "no manual page ${page##*/}"
done
in_root "$root" ldconfig -p >libraries
contains libraries libbpflink.so.0
contains libraries libbpflink-libbpf.so.0

"$CC" ../c_api/inspect.c -I"$root/usr/include" -L"$root/usr/lib" -lbpflink -o "$root/tmp/inspect"
in_root "$root" /tmp/inspect /tmp/main.bpf.o /tmp/record.bpf.o >report
contains report 'program filter: section socket'

in_root "$root" sh -c 'apt-get -q purge -y bpflink libbpflink0 libbpflink-dev' >"$tmp/apt.log" 2>&1
left=$(find "$root/usr" -name '*bpflink*')
[[ -z $left ]] || fail "left behind: $left"
