#!/bin/bash
# --localize-hidden makes a library's hidden functions and variables local, so that a program can
# use two libraries with the same internal names. Hidden maps stay global for the loader.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile part$n <<EOF
__hidden int state = $n;
__hidden __noinline unsigned mix(unsigned x) { return x * 3 + state; }
EOF
  compile face$n <<EOF
__hidden unsigned mix(unsigned x);
unsigned lib$n(unsigned x) { return mix(x) + $n; }
EOF
  "$BPFLINK" -r --localize-hidden part$n.o face$n.o -o lib$n.o
  export object=lib$n.o
  expect 'FUNC LOCAL DEFAULT .text 0 48' symbol mix
  expect 'OBJECT LOCAL DEFAULT .data 0 4' symbol state
  contains 'func static unsigned int mix(unsigned int x);' declarations
  contains 'var .data static int state;' declarations
  contains 'lib'$n'+0x0 call mix' references
  unset object
done
compile map <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, int); } m SEC(".maps") __hidden;
EOF
"$BPFLINK" -r --localize-hidden map.o -o mapped.o
object=mapped.o expect 'OBJECT GLOBAL HIDDEN .maps 0 32' symbol m
compile main <<<'unsigned lib1(unsigned x), lib2(unsigned x);
SEC("socket") int prog(struct __sk_buff *ctx) { return lib1(1) * 100 + lib2(1); }'
refused 'duplicate symbol: mix' main.o part1.o face1.o part2.o face2.o
# libbpf does not load hidden maps.
differs '[+-] symbol m OBJECT GLOBAL *' 'the peer leaves it hidden'
link main.o lib1.o lib2.o mapped.o
expect 'OBJECT GLOBAL DEFAULT .maps 0 32' symbol m
contains 'lib1+0x0 call mix@0x0' references
contains 'lib2+0x0 call mix@0x48' references
run 'prog()=507'
