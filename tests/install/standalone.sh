#!/bin/bash
# The standalone archive, for machines without the libraries: small programs that need only a kernel
# and link on an otherwise empty system.
. "$(dirname "$0")/common.sh"
needs clang-19 file chroot
(cd make && make main.bpf.o record.bpf.o >log)

cmake --build "$BUILD" --target standalone >log 2>&1 || {
  grep -q 'No rule to make target\|unknown target' log && skip 'the programs are not linked statically'
  fail "$(<log)"
}
# In MB. gcc 12 makes the archive; gcc 16 writes a quarter more code from the same sources.
limit=7
if (($("$CXX" -dumpversion | cut -d . -f 1) > 12)); then limit=9; fi
mkdir root
tar -C root --strip-components=1 -xf "$BUILD"/bpflink-*-linux-"$(uname -m)".tar.gz
for program in bpflink btfdedup bpfskel bpfcore; do
  file "root/bin/$program" >log
  contains log 'static-pie linked'
  contains log 'stripped'
  (($(stat -c %s "root/bin/$program") < limit << 20)) || fail "$program has $(stat -c %s "root/bin/$program") bytes"
done
[[ -x root/libexec/bpflink/bpflink-lto && -x root/bin/bpftool-bpflink && -e root/share/man/man1/bpflink.1 ]] || fail 'something is missing'

root/bin/bpflink make/main.bpf.o make/record.bpf.o -o filter.o
is_filter filter.o
cp make/*.bpf.o root
if chroot root /bin/bpflink --version >log 2>&1; then
  chroot root /bin/bpflink /main.bpf.o /record.bpf.o -o /filter.o
  cmp filter.o root/filter.o
else
  echo "not run in an empty root: $(<log)"
fi
