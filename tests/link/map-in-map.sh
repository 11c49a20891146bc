#!/bin/bash
# A map of maps is initialized with another file's map. The pointer in .maps refers to that map,
# which comes first: loaders create maps in their order in the section.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); };
struct inner before SEC(".maps");
extern struct inner slot1 SEC(".maps");
struct inner slot0 SEC(".maps");
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

expect $'slot0 0 32\nfront 32 32\nslot1 64 32\nouter 96 40\nbefore 136 32' datasec .maps
contains 'outer+0x18 abs64 slot0' references
contains 'outer+0x20 abs64 slot1' references
contains 'var .maps global struct { int (*type)[12]; int (*max_entries)[2]; int *key; struct inner *values[0]; } outer;' declarations
run 'prog()=0' 'slot0[0]=0' 'slot1[0]=77'
