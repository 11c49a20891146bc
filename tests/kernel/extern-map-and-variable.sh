#!/bin/bash
# A map and a variable are extern in the first file and defined in the second; the first file has a
# map and a variable of its own. None overlap, and all load and work.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct array { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); };
struct array own SEC(".maps");
extern struct array shared SEC(".maps");
int mine = 1;
extern long total;
static void set(void *map, int key, long value) { bpf_map_update_elem(map, &key, &value, 0); }
SEC("socket") int prog(struct __sk_buff *ctx) {
  set(&own, 1, 11);
  set(&shared, 3, 33);
  total += 5;
  mine += 2;
  return total + mine;
}
EOF
compile b <<'EOF'
long before = 100;
long total = 20;
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, int); __type(value, int); } other SEC(".maps");
struct array { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); };
extern struct array own SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } unused SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, int); __type(value, long); } shared SEC(".maps");
EOF
# `shared` is an array of two in `a`, and its definition is a hash: a conflict, and no output.
link_fails a.o b.o
expect_error shared

sed 's/^extern struct array shared/extern struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, int); __type(value, long); } shared/' \
  a.bpf.c | compile c
for order in "c.o b.o" "b.o c.o"; do
  link $order
  run 'prog()=28' total=25 mine=3 before=100 'own[0]=0' 'own[1]=11' 'shared[3]=33' \
    'prog()=35' total=30
done
