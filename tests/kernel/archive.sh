#!/bin/bash
# A program and a library in an archive, of which it needs some members.
. "$(dirname "$0")/common.sh"

compile main <<'EOF'
int count(int x);
SEC("socket") int prog(void *ctx) { return count(5); }
EOF
compile count <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } counts SEC(".maps");
int count(int x) {
  int key = 0, *value = bpf_map_lookup_elem(&counts, &key);
  return value ? *value += x : -1;
}
EOF
compile counts <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } counts SEC(".maps");
EOF
compile unneeded <<'EOF'
SEC("no_such_program_type") int unneeded(void *ctx) { return 0; }
EOF
llvm-ar-19 rc lib.a counts.o unneeded.o count.o
"$BPFLINK" main.o lib.a -o out.o
python3 "$bpfobj" check out.o
run 'prog()=5' 'prog()=10' 'counts[0]=10'
