#!/bin/bash
# An extern map must state its type, but may omit other attributes. The definition decides, and the
# BTF keeps only the definition.
. "$(dirname "$0")/common.sh"

compile use <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, int); } shared SEC(".maps");
SEC("socket") int prog(void *ctx) {
  int key = 4;
  long *found = bpf_map_lookup_elem(&shared, &key);
  return found ? *found : 0;
}
EOF
compile fill <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_HASH); } shared SEC(".maps");
SEC("socket") int fill(void *ctx) {
  int key = 4;
  long value = 6;
  return bpf_map_update_elem(&shared, &key, &value, 0);
}
EOF
compile def <<'EOF'
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, int);
  __type(value, long);
  __uint(map_flags, BPF_F_NO_PREALLOC);
} shared SEC(".maps");
EOF

differs '- refused: *' 'the peer wants every attribute of an extern map'
for order in "use.o fill.o def.o" "def.o fill.o use.o"; do
  link $order
  expect 'shared 0 40' datasec .maps
  contains 'var .maps global struct { int (*type)[1]; int (*max_entries)[8]; int *key; long *value; int (*map_flags)[1]; } shared;' declarations
  run 'prog()=0' 'fill()=0' 'prog()=6' 'shared[4]=6'
done
