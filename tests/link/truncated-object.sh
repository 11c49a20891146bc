#!/bin/bash
# An object truncated at any length is an error with a message, never a crash.
. "$(dirname "$0")/common.sh"

compile a -g0 <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
static volatile int state = 3;
SEC("socket") int prog(void *ctx) { int key = 0; return state + (bpf_map_lookup_elem(&m, &key) != 0); }
EOF
compile b <<<'int v = 3; SEC("socket") int prog(void *ctx) { return v; }'

for input in a b; do
  size=$(stat -c %s $input.o)
  for ((length = 0; length < size; length += length < 80 ? 1 : length < size - 200 ? 97 : 13)); do
    head -c "$length" $input.o >cut.o
    refused cut.o cut.o
  done
done
