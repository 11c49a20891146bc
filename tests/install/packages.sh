#!/bin/bash
# The source packages build in a clean root with only the packages that they declare, lintian has no
# complaint, and Debian's packages install and work in another clean root. rpmbuild packages the same
# objects, because another build would take minutes.
. "$(dirname "$0")/common.sh"
. "$repository/.ci/root.sh"
needs dpkg-source git lintian
git -C "$repository" rev-parse 2>log || skip "these sources are no repository: $(<log)"
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
root=$tmp/root
# new_root: makes a clean root and keeps its tarball for the next time
new_root() {
  why=$(make_root "$root" "$suite" "$BUILD/clean-root.$suite.tar") || skip "no clean root: $why"
}

new_root
"$repository/cmake/source-packages.sh" "$root/tmp/source" >log 2>&1 || fail "$(<log)"
# The packages' own tests, full optimization, debug information and small packages would take minutes
# more. Debian's rpm has no macros for CMake.
in_root "$root" bash -euc '
  cd /tmp/source
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update
  apt-get -q install -y --no-install-recommends rpm build-essential
  apt-get -q build-dep -y -P nocheck --no-install-recommends ./bpflink_*.dsc
  dpkg-source -x bpflink_*.dsc tree
  cd tree
  export DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" DEB_CXXFLAGS_APPEND="-O1 -g0" DPKG_DEB_COMPRESSOR_TYPE=gzip
  dpkg-buildpackage -us -uc
  rpmbuild -ba --build-in-place --nodeps --without tests -D "_topdir /tmp/source/rpm" -D "_sourcedir /tmp/source" \
    -D "_binary_payload w1.gzdio" -D "cmake_build cmake --build build" -D "cmake_install DESTDIR=%{buildroot} cmake --install build" \
    -D "cmake cmake -B build -DCMAKE_INSTALL_LIBDIR=%{_lib} -DBPFLINK_ZSH_DIR=share/zsh/site-functions" ../bpflink.spec' \
  >log 2>&1 || fail "$(tail -n 20 log)"

source=$root/tmp/source
lintian "$source"/*.changes >said 2>log || true
[[ ! -s said ]] || fail "lintian: $(<said)"
# Newer versions of rpmbuild also make a package of debug information.
[[ $(find "$source/rpm" -name '*.rpm' ! -name '*-debug*' | wc -l) == 6 ]] || fail "packages of rpmbuild: $(find "$source/rpm")"
mkdir debs
cp "$source"/*.deb debs
new_root
cp debs/*.deb "$root/tmp"
in_root "$root" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /tmp/*.deb' \
  >log 2>&1 || fail "$(tail -n 20 log)"

(cd make && make >log)
cp make/main.bpf.o make/record.bpf.o "$root/tmp"
in_root "$root" bpflink /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/filter.o
is_filter "$root/tmp/filter.o"
in_root "$root" btfdedup /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/all.btf
[[ -s $root/tmp/all.btf ]] || fail 'btfdedup has written nothing'
in_root "$root" bpfcore minimize /tmp/filter.o --kernel /tmp/all.btf -o /tmp/minimized
[[ -s $root/tmp/minimized/index.json ]] || fail 'bpfcore has written nothing'
for page in man1/{bpflink,bpftool-bpflink,btfdedup,bpfskel,bpfcore}.1 man3/bpflink.h.3 man5/bpflink-reports.5 man7/bpflink-{bpftool,cmake}.7; do
  [[ -e $root/usr/share/man/$page.gz ]] || fail "no manual page ${page##*/}"
done
[[ -e $root/usr/share/doc/bpflink/html/index.html ]] || fail 'no documents of the interface'
in_root "$root" ldconfig -p >libraries
contains libraries libbpflink.so.
contains libraries libbpflink-libbpf.so.

"$CC" ../c_api/inspect.c -I"$root/usr/include" -L"$root/usr/lib/$(gcc -print-multiarch)" -lbpflink -o "$root/tmp/inspect"
in_root "$root" /tmp/inspect /tmp/main.bpf.o /tmp/record.bpf.o >report
contains report 'program filter: section socket'

in_root "$root" sh -c 'apt-get -q purge -y "*bpflink*"' >log 2>&1
left=$(find "$root/usr" -name '*bpflink*')
[[ -z $left ]] || fail "left behind: $left"
