#!/bin/bash
# The C sample through pkg-config, with the shared library and with the static one; a C++ program with
# the static one; a program for libbpf's linker, built with ours; an installation that was moved.
. "$(dirname "$0")/common.sh"
cd make && make >log && cd ..

use() { # NAME COMPILER-ARGUMENT...
  local name=$1
  shift
  "$CC" -Wall -Wextra -Werror ../c_api/inspect.c -o "$name" "$@"
  "./$name" make/filter.o >report
  contains report 'program filter: section socket'
  contains report '.rodata: 4 bytes'
}

# shellcheck disable=SC2046 # several words
use shared $(pkg-config --cflags --libs bpflink)
readelf -d shared | has 'NEEDED.*libbpflink.so.1' || fail 'not the shared library by its soname'

# shellcheck disable=SC2046
use static $(pkg-config --static --cflags --libs bpflink-static)
if readelf -d static | has libbpflink; then fail 'the shared library is needed'; fi

for kind in '' --static; do
  # shellcheck disable=SC2046
  "$CXX" -std=c++23 program/report.cpp -o cpp$kind $(pkg-config $kind --cflags --libs bpflink-static)
  ./cpp$kind make/filter.o >report
  contains report 'socket_filter program filter'
  if readelf -d cpp$kind | has libbpflink; then fail "C++ needs the shared library $kind"; fi
done
# shellcheck disable=SC2046
if "$CXX" -std=c++23 program/report.cpp -o cpp.shared $(pkg-config --cflags --libs bpflink) 2>log; then
  fail 'the shared library exports C++'
fi
contains log 'undefined reference to'

cat >linker.c <<'EOF'
#include <bpflink/bpf_linker.h>
int main(int argc, char **argv) {
  struct bpf_linker *linker = bpf_linker__new(argv[1], 0);
  int err = linker ? 0 : -1;
  for (int i = 2; i < argc && !err; i++) err = bpf_linker__add_file(linker, argv[i], 0);
  if (!err) err = bpf_linker__finalize(linker);
  bpf_linker__free(linker);
  return err ? 1 : 0;
}
EOF
# shellcheck disable=SC2046
"$CC" linker.c -o linker $(pkg-config --cflags --libs bpflink-libbpf)
./linker linked.o make/main.bpf.o make/record.bpf.o
is_filter linked.o

cp -r "$PREFIX" moved
PKG_CONFIG_PATH=$PWD/moved/lib/pkgconfig
[[ $(realpath "$(pkg-config --variable=program bpflink)") == "$PWD/moved/bin/bpflink" ]] ||
  fail 'a moved copy finds the program elsewhere'
# shellcheck disable=SC2046
use moved.inspect $(pkg-config --cflags --libs bpflink)
