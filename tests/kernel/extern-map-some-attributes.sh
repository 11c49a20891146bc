#!/bin/bash
# A map whose extern states only its type, defined with all attributes in another file.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_HASH); } shared SEC(".maps");
SEC("socket") int prog(void *ctx) {
  int key = 4;
  long value = 6;
  bpf_map_update_elem(&shared, &key, &value, 0);
  long *found = bpf_map_lookup_elem(&shared, &key);
  return found ? *found : 0;
}
EOF
compile b <<'EOF'
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, int);
  __type(value, long);
} shared SEC(".maps");
EOF
for order in "a.o b.o" "b.o a.o"; do
  link $order
  run 'prog()=6' 'shared[4]=6'
done
