#!/bin/bash
# The winner runs: the strong function, variable and map, or the first weak one.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
__weak int answer(void) { return 1; }
__weak int only_weak(void) { return 10; }
int pad = 4;
__weak int limit = 100;
int after = 8;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps") __weak;
SEC("socket") int prog(void *ctx) {
  int key = 0, value = 9;
  bpf_map_update_elem(&m, &key, &value, 0);
  return answer() + only_weak() + limit + pad + after;
}
EOF
compile b <<'EOF'
__weak int only_weak(void) { return 20; }
int limit = 1000;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
EOF
compile c <<'EOF'
int answer(void) { return 3; }
EOF
link a.o b.o c.o
run 'prog()=1025' limit=1000 pad=4 after=8 'm[0]=9'
link c.o b.o a.o
run 'prog()=1035' limit=1000 'm[0]=9'
