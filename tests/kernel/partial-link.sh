#!/bin/bash
# A program linked in two stages of -r runs as one linked at once.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } shared SEC(".maps");
unsigned helper(unsigned x);
extern long total;
SEC("socket") int prog(struct __sk_buff *ctx) {
  int key = 1;
  long *value = bpf_map_lookup_elem(&shared, &key);
  if (value) *value = helper(8);
  return total += 4;
}
EOF
compile b <<'EOF'
long total = 3;
static volatile unsigned state[2] = {1, 2};
static __noinline unsigned inner(unsigned x) { return x * state[1]; }
__weak __noinline unsigned helper(unsigned x) { return inner(x) + 1; }
EOF
compile c <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } shared SEC(".maps");
static volatile unsigned state = 5;
unsigned helper(unsigned x) { return x * state; }
EOF
link a.o b.o c.o
run 'prog()=7' 'shared[1]=40' total=7

"$BPFLINK" -r b.o c.o -o bc.o
"$BPFLINK" -r a.o bc.o -o abc.o
link abc.o
run 'prog()=7' 'shared[1]=40' total=7
