#!/bin/bash
# A map is extern in one file and defined in another, in both orders. The DATASEC has the
# definition's offset, and no two maps overlap.
. "$(dirname "$0")/common.sh"

compile use <<'EOF'
struct array { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); };
struct array own SEC(".maps");
extern struct array shared SEC(".maps");
SEC("socket") int prog(void *ctx) {
  int key = 0;
  return bpf_map_lookup_elem(&own, &key) == bpf_map_lookup_elem(&shared, &key);
}
EOF
compile def <<'EOF'
struct array { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); };
struct array first SEC(".maps");
struct array shared SEC(".maps");
EOF

link use.o def.o
expect $'own 0 32\nfirst 32 32\nshared 64 32' datasec .maps
expect 'OBJECT GLOBAL DEFAULT .maps 64 32' symbol shared
contains 'var .maps global struct array shared;' declarations
contains 'prog+0x20 address own' references
contains 'prog+0x48 address shared' references

link def.o use.o
expect $'first 0 32\nshared 32 32\nown 64 32' datasec .maps
expect 'OBJECT GLOBAL DEFAULT .maps 32 32' symbol shared
