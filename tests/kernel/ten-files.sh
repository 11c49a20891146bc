#!/bin/bash
# A ring of ten files: each has a program, a variable, a map and a function, and uses
# those of the next.
. "$(dirname "$0")/common.sh"

for n in {0..9}; do
  next=$(((n + 1) % 10))
  compile f$n <<EOF
#define MAP struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); }
MAP m$n SEC(".maps");
extern MAP m$next SEC(".maps");
int v$n = $n;
extern int v$next;
unsigned add$next(unsigned x);
__noinline unsigned add$n(unsigned x) { return x + v$n; }
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  int key = 0, value = 100 + $n;
  bpf_map_update_elem(&m$next, &key, &value, 0);
  return add$next(1000) + v$next;
}
EOF
done
link f?.o
run 'prog0()=1002' 'prog4()=1010' 'prog9()=1000' 'm0[0]=109' 'm1[0]=100' 'm5[0]=104' v7=7
