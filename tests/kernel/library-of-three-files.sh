#!/bin/bash
# Two programs call global functions of a library of two files. Each file has static helpers and
# state of the same names.
. "$(dirname "$0")/common.sh"

cat >lib.h <<'EOF'
unsigned hash(unsigned key);
unsigned bucket(unsigned key, unsigned count);
extern unsigned calls;
EOF
compile hash -I. <<'EOF'
#include "lib.h"
unsigned calls;
static unsigned seed = 17;
static __noinline unsigned mix(unsigned x) { return x * 31 + seed; }
__noinline unsigned hash(unsigned key) { calls++; return mix(mix(key)); }
EOF
compile bucket -I. <<'EOF'
#include "lib.h"
static unsigned seed = 3;
static __noinline unsigned mix(unsigned x) { return x + seed; }
__noinline unsigned bucket(unsigned key, unsigned count) { return mix(hash(key)) % (count ? count : 1); }
EOF
compile main -I. <<'EOF'
#include "lib.h"
SEC("socket") int one(struct __sk_buff *ctx) { return bucket(5, 1000); }
SEC("xdp") int two(struct xdp_md *ctx) { return hash(1) + calls; }
EOF
# hash(k) = (k * 31 + 17) * 31 + 17: 5349 for 5, 1505 for 1
link main.o bucket.o hash.o
run 'one()=352' calls=1 'two()=1507' calls=2
link hash.o main.o bucket.o
run 'one()=352' calls=1
