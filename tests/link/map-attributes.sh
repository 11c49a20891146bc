#!/bin/bash
# The output keeps map attributes that the linker does not know, and the link compares them where
# two files state them: numbers above today's uapi, other loaders' pinning, future names.
. "$(dirname "$0")/common.sh"

cat >map.h <<'EOF'
struct future {
  __uint(type, 999);
  __uint(max_entries, 8);
  __type(key, int);
  __type(value, long);
  __uint(pinning, 77);
  __uint(attribute_of_tomorrow, 3);
};
EOF
compile a -I. <<'EOF'
#include "map.h"
extern struct future m SEC(".maps");
SEC("socket") int prog(void *ctx) { int k = 0; return bpf_map_lookup_elem(&m, &k) != 0; }
EOF
compile b -I. <<'EOF'
#include "map.h"
struct future m SEC(".maps");
EOF
differs '- refused: *' 'the peer knows its attributes only'
for order in "a.o b.o" "b.o a.o"; do
  link $order
  expect 'm 0 48' datasec .maps
  contains 'struct future { int (*type)[999]; int (*max_entries)[8]; int *key; long *value; int (*pinning)[77]; int (*attribute_of_tomorrow)[3];};' types
done

sed 's/attribute_of_tomorrow, 3/attribute_of_tomorrow, 4/' map.h >map4.h
sed 's/map.h/map4.h/' b.bpf.c | compile d -I.
refused 'attribute_of_tomorrow' -q a.o d.o
expect_error 'a.o'
