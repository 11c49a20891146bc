#!/bin/bash
# Declarations of a map must agree in the attributes that both state; the error shows both.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, int); __type(value, long); } shared SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&shared, &key) != 0; }
EOF
compile b <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, int); __type(value, int); } shared SEC(".maps");
EOF
compile c <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 8); __type(key, int); __type(value, long); } shared SEC(".maps");
EOF
compile d <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4); __type(key, int); __type(value, long); } shared SEC(".maps");
EOF

refused 'shared' a.o b.o
expect_error 'value'
expect_error 'long'
expect_error 'a.o'
expect_error 'b.o'
refused 'max_entries' a.o c.o
expect_error '4'
expect_error '8'
refused 'type' d.o a.o
expect_error 'd.o'
