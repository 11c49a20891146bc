#!/bin/bash
# In an installation that was moved, the program and the shared library find bpflink-lto, but not where
# others can write.
. "$(dirname "$0")/common.sh"
needs clang-19
cp -a "$PREFIX" "$tmp/moved"
cd "$tmp"
clang-19 -g -O2 --target=bpf -flto -x c -c - -o a.bc <<<'int total;'
cat >link.c <<'END'
#include <bpflink/bpflink.h>
int main(int argc, char** argv)
{
  bpflink_linker* linker;
  if (argc != 3 || bpflink_linker_new(NULL, 0, NULL, NULL, &linker, NULL) != 0) return 2;
  int status = bpflink_linker_add_file(linker, argv[1]);
  if (status == 0) status = bpflink_linker_link_to_file(linker, argv[2]);
  bpflink_linker_free(linker);
  return status != 0;
}
END
cc link.c -Imoved/include -Lmoved/lib -lbpflink -o link
export LD_LIBRARY_PATH=$tmp/moved/lib
moved/bin/bpflink a.bc -o by_program.o
./link a.bc by_library.o
cmp by_program.o by_library.o || fail 'the library links bitcode in another way'
# The path of the library is relative.
LD_LIBRARY_PATH=moved/lib ./link a.bc by_library.o

chmod o+w moved/libexec
if moved/bin/bpflink a.bc -o out.o 2>errors || ./link a.bc out.o; then fail 'a program that others can replace runs'; fi
contains errors "moved/libexec/bpflink/bpflink-lto is not run because others may write to "
