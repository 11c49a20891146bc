#!/bin/bash
# In any order of the files, the output has the same symbols, variables, types and references. Only
# offsets differ.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct state;
extern struct state state;
extern struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, int); } m SEC(".maps");
int step(struct state *s);
SEC("socket") int prog(void *ctx) { int k = 0; return step(&state) + (bpf_map_lookup_elem(&m, &k) != 0); }
EOF
compile b <<'EOF'
struct state { int n; long total; };
struct state state;
__weak int step(struct state *s) { return s->n; }
int level = 4;
EOF
compile c <<'EOF'
struct state { int n; long total; };
extern int level;
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4); __type(key, int); __type(value, struct state); } m SEC(".maps");
__noinline int step(struct state *s) { return s->n + level; }
EOF
differs '- refused: *' 'the peer wants every attribute of an extern map, and no incomplete types'

places_aside() { view out.o; references | sort; func_info | sed 's/ [0-9]* / /'; }
for order in "a.o b.o c.o" "a.o c.o b.o" "b.o a.o c.o" "b.o c.o a.o" "c.o a.o b.o" "c.o b.o a.o"; do
  link $order
  first=${first:-$(places_aside)}
  expect "$first" places_aside
done
expect 'OBJECT GLOBAL DEFAULT .maps 0 32' symbol m
