#!/bin/bash
# Source lines of variables and maps, which only DWARF has, in all DWARF versions and byte orders
. "$(dirname "$0")/common.sh"

variable='long v = 1;'
user='
extern int v;
SEC("socket") int prog(void *ctx) { return v; }'
differ='>>> they differ at v
>>>     b.o: long, 8 bytes
>>>     a.o: int, 4 bytes
>>> declare it once, in a header that all include'
plain_message="bpflink: error: conflicting types of 'v'
>>> long v
>>>     defined in b.o:(.data+0x0)
>>> extern int v
>>>     declared in a.o
$differ"
message="b.bpf.c:1: error: conflicting types of 'v'
>>> long v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:2 (a.o)
$differ"

# conflict MESSAGE [FLAG...]: compiles both files with the flags; the link is an error with MESSAGE
conflict() {
  local want=$1
  shift
  compile a "$@" <<<"$user"
  compile b "$@" <<<"$variable"
  expect_message "$want" "$BPFLINK" a.o b.o -o out.o
}
for dwarf in -gdwarf-{2,3,4,5} '-gdwarf-4 -gdwarf64' '-gdwarf-5 -gdwarf64' --target=bpfeb; do
  # shellcheck disable=SC2086 # several words
  conflict "$message" $dwarf
done
conflict "$message"
llvm-strip-19 --strip-debug a.o b.o
expect_message "$plain_message" "$BPFLINK" a.o b.o -o out.o

# Lines in a header, a name that a function declared before, and lines that a partial link keeps
conflict "$message"
mkdir include
echo "$variable" >include/v.h
compile b -Iinclude <<<'static int w(void) { extern long v; return v; }
#include "v.h"
int (*use)(void) = w;'
expect_message "${message//b.bpf.c/include/v.h}" "$BPFLINK" a.o b.o -o out.o
compile b <<<"$variable"
compile other <<<$'\nstatic int v; int *use = &v;'
"$BPFLINK" -r --keep-debug other.o b.o -o both.o
mv both.o b.o
expect_message "$message" "$BPFLINK" a.o b.o -o out.o

# Maps, and duplicate definitions
compile a <<<'
extern struct { __uint(type, 99); __type(key, int); } v SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&v, &key) != 0; }'
compile b <<<'struct { __uint(type, 99); __type(key, long); } v SEC(".maps");'
link_fails a.o b.o
expect '>>>     defined in b.bpf.c:1 (b.o)
>>>     declared in a.bpf.c:2 (a.o)' grep '^>>>     d' errors
compile a <<<'int v = 1;'
compile b <<<$'\nlong v = 1;'
expect_message "a.bpf.c:1: error: duplicate symbol: v
>>> defined at a.bpf.c:1
>>>            a.o:(.data+0x0)
>>> defined at b.bpf.c:2
>>>            b.o:(.data+0x0)
>>> if they are not the same thing, make one of them static
>>> or rename those of a file: --prefix-symbols-of b.o=PREFIX; or link it alone first, with -r --localize-hidden, if they are __hidden" "$BPFLINK" a.o b.o -o out.o
