#!/bin/bash
# Helpers receive static callbacks through ld_imm64, for map elements and for a loop, from two files
# with functions of the same name.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 3); __type(key, int); __type(value, long); } m$n SEC(".maps");
static __noinline unsigned scale(unsigned x) { return x * $n; }
static long visit(void *map, int *key, long *value, long *sum) { *value = *key + $n; *sum += scale(*value); return 0; }
static long step(__u32 index, long *sum) { *sum += scale(index); return 0; }
SEC("syscall") int prog$n(void *ctx) {
  long sum = 0;
  bpf_for_each_map_elem(&m$n, visit, &sum, 0);
  bpf_loop(5, step, &sum, 0);
  return sum;
}
EOF
done
link f1.o f2.o
run 'prog1()=16' 'm1[2]=3' 'prog2()=38' 'm2[2]=4'
