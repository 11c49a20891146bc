#!/bin/bash
# Links with -r in two stages give the same program as one link: symbols, DATASECs, types,
# references, function and CO-RE records, section contents. It runs alike.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } shared SEC(".maps");
unsigned helper(unsigned x);
extern long total;
struct data { int a, b; } __attribute__((preserve_access_index));
SEC("socket") int prog(struct __sk_buff *ctx) {
  int key = 1;
  long *value = bpf_map_lookup_elem(&shared, &key);
  if (value) *value = helper(8);
  return total += 4;
}
SEC("?socket") int not_loaded(struct __sk_buff *ctx) { // no kernel has this struct
  int key = 0;
  struct data *d = bpf_map_lookup_elem(&shared, &key);
  return d ? d->b + bpf_core_type_id_local(struct data) : helper(ctx->len);
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
SEC("xdp") int second(struct xdp_md *ctx) { return helper(1); }
EOF
compile d <<<'long other = 9; SEC("socket") int third(void *ctx) { return other; }'
differs '- refused: *' 'to the peer a weak definition behind a strong extern is strong'
link a.o b.o c.o d.o
run 'prog()=7' 'shared[1]=40' total=7
mv out.o whole.o

everything() {
  view "${object:-out.o}"
  references
  func_info
  core_relo
  line_info
  sections | grep -E '^(.?socket|xdp|.text|.data|.maps|license) '
  bytes .data
  bytes .maps
}
same_as_whole() {
  python3 "$bpfobj" check out.o
  expect "$(object=whole.o everything)" everything
  run 'prog()=7' 'shared[1]=40' total=7
}

"$BPFLINK" -r a.o b.o -o ab.o
"$BPFLINK" -r c.o d.o -o cd.o
python3 "$bpfobj" check ab.o
python3 "$bpfobj" check cd.o
"$BPFLINK" ab.o cd.o -o out.o
same_as_whole

"$BPFLINK" -r b.o c.o -o bc.o
"$BPFLINK" -r a.o bc.o -o abc.o
"$BPFLINK" abc.o d.o -o out.o
same_as_whole

# Linking the result again changes nothing.
"$BPFLINK" whole.o -o out.o
same_as_whole
