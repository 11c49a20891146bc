#!/bin/bash
# Files compiled for different versions of the instruction set link and run together.
. "$(dirname "$0")/common.sh"

for version in v1 v2 v3 v4; do
  compile $version -mcpu=$version <<EOF
unsigned helper_$version(unsigned x);
int base_$version = 3;
SEC("socket") int prog_$version(struct __sk_buff *ctx) {
  signed char c = ctx->mark;
  return helper_$version(c + 4) + base_$version;
}
static __noinline unsigned twice(unsigned x) { return x * 2; }
__noinline unsigned helper_$version(unsigned x) { return twice(x) + 1; }
EOF
done
link v1.o v2.o v3.o v4.o
run 'prog_v1()=12' 'prog_v2()=12' 'prog_v3()=12' 'prog_v4()=12'
