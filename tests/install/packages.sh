#!/bin/bash
# What cmake/release.sh makes in a clean root works in others: the archive of static programs also in another
# Debian, the packages, the crates, the Go module. lintian has no complaint. rpmbuild packages the objects of
# Debian's packages, because another build would take minutes.
. "$(dirname "$0")/common.sh"
. "$repository/.ci/root.sh"
needs dpkg-source git lintian cargo
git -C "$repository" rev-parse 2>log || skip "these sources are no repository: $(<log)"
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
root=$tmp/root
# new_root [SUITE]: makes a clean root and keeps its tarball for the next time
new_root() {
  why=$(make_root "$root" "${1:-$suite}" "$BUILD/clean-root.${1:-$suite}.tar") || skip "no clean root: $why"
}

read_snippets "$repository/README.md"
new_root
in_root "$root" sh -c 'echo >/dev/of_the_root'
if [[ -e /dev/of_the_root ]]; then rm /dev/of_the_root && fail "a root has the machine's devices"; fi
git clone -q "$repository" "$root/bpflink"
# The packages' own tests, full optimization, debug information and small packages would take minutes
# more. Debian's rpm has no macros for CMake.
in_root "$root" bash -euc '
  cd /bpflink
  export CMAKE_BUILD_TYPE=None CXXFLAGS=-O1
  export DEB_BUILD_OPTIONS=noautodbgsym DEB_CXXFLAGS_APPEND="-O1 -g0" DPKG_DEB_COMPRESSOR_TYPE=gzip
  cmake/release.sh /tmp/release
  apt-get -q install -y --no-install-recommends rpm
  cd build/release-files/tree
  rpmbuild -ba --build-in-place --nodeps --without tests -D "_topdir /tmp/rpm" -D "_sourcedir /tmp/release" \
    -D "_binary_payload w1.gzdio" -D "cmake_build cmake --build build" -D "cmake_install DESTDIR=%{buildroot} cmake --install build" \
    -D "cmake cmake -B build -DCMAKE_INSTALL_LIBDIR=%{_lib} -DBPFLINK_ZSH_DIR=share/zsh/site-functions" /tmp/release/bpflink.spec' \
  >log 2>&1 || fail "$(tail -n 20 log)"

lintian "$root"/bpflink/build/release-files/*.changes >said 2>log || true
[[ ! -s said ]] || fail "lintian: $(<said)"
# Newer versions of rpmbuild also make a package of debug information.
[[ $(find "$root/tmp/rpm" -name '*.rpm' ! -name '*-debug*' | wc -l) == 6 ]] || fail "packages of rpmbuild: $(find "$root/tmp/rpm")"
mv "$root/tmp/release" release
(cd release && sha256sum -c --quiet SHA256SUMS) || fail 'other checksums'

(cd make && make >log)
# works PREFIX: the programs of the root link, deduplicate, minimize, and write skeletons
works() {
  cp make/{main,record}.bpf.o "$root/tmp"
  in_root "$root" "$1/bin/bpflink" /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/filter.o
  is_filter "$root/tmp/filter.o"
  in_root "$root" "$1/bin/btfdedup" /tmp/main.bpf.o /tmp/record.bpf.o -o /tmp/all.btf
  [[ -s $root/tmp/all.btf ]] || fail 'btfdedup has written nothing'
  in_root "$root" "$1/bin/bpfcore" minimize /tmp/filter.o --kernel /tmp/all.btf -o /tmp/minimized
  [[ -s $root/tmp/minimized/index.json ]] || fail 'bpfcore has written nothing'
  [[ $(in_root "$root" "$1/bin/bpfcore" --version) =~ 'libbpf 1.'([5-9]|[1-9][0-9]) ]] ||
    fail "an old libbpf in guests: $(in_root "$root" "$1/bin/bpfcore" --version)"
  in_root "$root" "$1/bin/bpfskel" /tmp/filter.o -o /tmp/filter.skel.h
  contains "$root/tmp/filter.skel.h" filter__open_and_load
}

for other in trixie bookworm; do
  new_root "$other"
  cp release/bpflink-*-linux-*.tar.gz make/{main,record}.bpf.o "$root/opt"
  in_root "$root" sh -euc "cd /opt; $(snippet 'Try it' 1 | sed "s/x86_64/$(uname -m)/")"
  is_filter "$root/opt/filter.o"
  works "/opt/$(basename release/bpflink-*-linux-*.tar.gz .tar.gz)"
done

cp release/*.deb "$root/tmp"
in_root "$root" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /tmp/*.deb' \
  >log 2>&1 || fail "$(tail -n 20 log)"
works /usr
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

# The crates, as a registry has them
for crate in release/*.crate; do
  mkdir -p crates
  tar -C crates -xf "$crate"
  echo '{"files":{}}' >"crates/$(basename "$crate" .crate)/.cargo-checksum.json"
done
mkdir -p project/src project/.cargo
printf '[source.crates-io]\nreplace-with = "release"\n[source.release]\ndirectory = "%s/crates"\n' "$PWD" >project/.cargo/config.toml
printf '[package]\nname = "project"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nbpflink = "1"\n' >project/Cargo.toml
cat >project/src/main.rs <<'END'
fn main() -> Result<(), bpflink::Error> {
    let mut linker = bpflink::Linker::new("filter.o")?;
    for file in ["main.bpf.o", "record.bpf.o"] { linker.add_file(file)?; }
    linker.link()
}
END
cp make/{main,record}.bpf.o project
(cd project && cargo run --offline -q) >log 2>&1 || fail "the crates: $(<log)"
is_filter project/filter.o
mkdir module
tar -C module --strip-components=1 -xf release/bpflink2go-*.tar.gz
diff -r module "$repository/linker/interfaces/go" || fail 'the module has other files (<)'
