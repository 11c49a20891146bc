#!/bin/bash
# --gc-sections drops what no program, map or struct_ops variable reaches, with its types and
# records. --print-gc-sections lists it; -u and --keep-section add roots. The rest runs: calls,
# callbacks, tail calls and data, which move up where something before them is dropped.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct only_dead { long x[3]; };
struct used_type { int a; };
int dead_data = 4;
int used_data = 3;
static volatile int dead_static[3] = {1, 2, 3};
struct used_type state;
__noinline unsigned dead(unsigned x) { return x / 5 + dead_data + dead_static[1]; }
__noinline unsigned used(unsigned x) { return x / 3 + used_data + state.a; }
static __noinline unsigned dead_helper(unsigned x) { return x / 7; }
__noinline unsigned dead2(struct only_dead *p) { return dead_helper(p ? p->x[1] : 0); }
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } unused_map SEC(".maps");
static __noinline unsigned helper(unsigned x) { return x + used_data; }
__noinline unsigned dead3(unsigned x) { return dead(x) + helper(x); }
static long visit(__u32 index, long *sum) { *sum += helper(index); return 0; }
__noinline unsigned dead4(unsigned x) { return dead3(x); }
SEC("syscall") int loop(void *ctx) { long sum = 0; bpf_loop(3, visit, &sum, 0); return sum; }
SEC("socket") int target(struct __sk_buff *ctx) { return used(99) + helper(100); }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __uint(key_size, 4);
  __array(values, int (struct __sk_buff *));
} jumps SEC(".maps") = { .values = { target } };
SEC("socket") int jump(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 0); return 0; }
EOF
names() { symbols | cut -d" " -f1 | sort; }
"$BPFLINK" a.o --gc-sections --print-gc-sections -o out.o >listed 2>&1
python3 "$bpfobj" check out.o
no_new_lint a.o

expect 'LICENSE
helper
jump
jumps
loop
state
target
unused_map
used
used_data
visit' names
expect '.text 0 used
.text 80 helper
.text 120 visit
socket 0 target
socket 56 jump
syscall 0 loop' func_info
expect 'used_data 0 4' datasec .data
lacks 'only_dead' types
for name in dead dead_data dead_static dead_helper dead2 dead3 dead4; do
  grep -Eq "\b$name\b" listed || fail "$name is not listed: $(<listed)"
done
if grep -E '\b(used|helper|loop|state|unused_map)\b' listed; then fail 'listed, but not dropped'; fi
run 'loop()=12' 'jump()=139'

"$BPFLINK" a.o --gc-sections -u dead -o out.o
contains 'dead_data' names
contains 'dead_static' names
lacks 'dead2|dead_helper' names
"$BPFLINK" a.o --gc-sections --keep-section '.da*' -o out.o
contains 'dead_data' names
lacks '^dead$' names

"$BPFLINK" a.o --gc-sections --keep-type only_dead -o out.o
contains 'struct only_dead { long x[3];};' types
lacks '^dead' names

refused 'no_such_symbol' a.o -u no_such_symbol
