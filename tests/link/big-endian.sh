#!/bin/bash
# Big-endian objects link as little-endian ones do: data, addends in instructions, BTF and
# .BTF.ext keep their byte order.
. "$(dirname "$0")/common.sh"

compile a --target=bpfeb <<'EOF'
#include <bpf/bpf_core_read.h>
extern int total;
unsigned helper(unsigned x);
struct data { int a, b; } __attribute__((preserve_access_index));
SEC("socket") int prog(struct __sk_buff *ctx) {
  struct data *d = (void *)(long)ctx->mark;
  return helper(ctx->len) + total + d->b + bpf_core_type_id_local(struct data);
}
EOF
compile b --target=bpfeb <<'EOF'
static volatile int table[3] = {1, 2, 3};
int total = 7;
static __noinline unsigned inner(unsigned x) { return x / 3; }
__noinline unsigned helper(unsigned x) { return inner(x) + table[2]; }
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
EOF
differs '- refused: *' 'the peer links objects of its own byte order only' 1.6
link b.o a.o

llvm-readelf-19 -h out.o | grep 'big endian' >/dev/null
expect 'helper+0x0 call inner
helper+0x8 address table
prog+0x10 call helper
prog+0x18 address total' references
expect '00 00 00 07 00 00 00 01 00 00 00 02 00 00 00 03' bytes .data
expect $'total 0 4\ntable 4 12' datasec .data
expect 'm 0 32' datasec .maps
contains 'prog+0x0 a.bpf.c:6' line_info
[[ $(core_relo | grep -c '^prog+.* byte_off struct data 0:1$') == 1 ]]
[[ $(core_relo | grep -c '^prog+.* local_type_id struct data 0$') == 1 ]]
contains 'struct data { int a; int b;};' types
