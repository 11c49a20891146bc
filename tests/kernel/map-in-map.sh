#!/bin/bash
# A map of maps with initial values, one of them a map of another file.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); };
struct inner slot0 SEC(".maps");
extern struct inner slot1 SEC(".maps");
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 2);
  __type(key, int);
  __array(values, struct inner);
} outer SEC(".maps") = { .values = { &slot0, &slot1 } };
SEC("socket") int prog(void *ctx) {
  int key = 1, zero = 0, value = 77;
  void *inner = bpf_map_lookup_elem(&outer, &key);
  return inner ? bpf_map_update_elem(inner, &zero, &value, 0) : 1;
}
EOF
compile b <<'EOF'
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); };
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 9); __type(key, int); __type(value, int); } front SEC(".maps");
struct inner slot1 SEC(".maps");
EOF
link a.o b.o
run 'prog()=0' 'slot0[0]=0' 'slot1[0]=77'
