#!/bin/bash
# What no kernel loads for reasons that stand in the object: the link warns, and check says so of the
# programs that have it, and of no others. Linux 5.10, 6.1, 6.18 and 7.3 gave the verdicts.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void init(void) {}'

# judge NAME MARKS WARNINGS [OLD]: NAME.o, from standard input, links with these warnings and no others;
# old kernels give the marks OLD
judge() {
  { echo '#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
#define noinline __attribute__((noinline))
const volatile int off;' && cat; } | compile "$1"
  "$BPFLINK" "$1.o" -o linked.o 2>log || fail "$1 does not link"
  [[ $(sed -n 's/.*: warning: //p' log) == "$3" ]] || fail "$1: $(<log)"
  for release in 6.12.0 7.3.0; do fits "$2" "$1.o" plain.btf --release $release; done
  for release in 5.12.0 6.1.0; do fits "${4:-$2}" "$1.o" plain.btf --release $release; done
}

judge pointers 'throughX calls+ oddX' 'no kernel takes calls through pointers
no kernel takes instructions that no kernel has' <<'END'
static noinline int twice(int x) { return x * 2; }
static noinline int thrice(int x) { return x * 3; }
int which;
SEC("xdp") int through(struct xdp_md *ctx) { int (*f)(int) = which ? twice : thrice; return f((long)ctx); }
SEC("xdp") int calls(struct xdp_md *ctx) { return which ? twice(1) : thrice(2); }
SEC("xdp") __attribute__((naked)) int odd(struct xdp_md *ctx) { asm volatile("r0 = 2; exit; .byte 0xe4, 0, 0, 0, 0, 0, 0, 0"); }
END
fits 'through? calls+ odd?' pointers.o plain.btf
core 1 check pointers.o plain.btf --release 6.12.0
says 'error: no kernel takes calls through pointers in plain.btf'
says '>>> needed by program through'

judge maps 'tail_hashX tail+ look_progsX update_queueX push_queue+ push_hashX look_hash+ output_ringX output+ ring_eventsX dead+ percpu_hashX percpu+ each_queueX each+' \
  "bpf_for_each_map_elem takes no map of type queue, such as queue
bpf_map_lookup_elem takes no map of type prog_array, such as progs
bpf_map_lookup_percpu_elem takes no map of type hash, such as hash
bpf_map_push_elem takes no map of type hash, such as hash
bpf_map_update_elem takes no map of type queue, such as queue
bpf_perf_event_output takes no map of type ringbuf, such as ring
bpf_ringbuf_output takes no map of type perf_event_array, such as events
bpf_tail_call takes no map of type hash, such as hash" <<'END'
#define MAP(name, kind, more...) struct { __uint(type, BPF_MAP_TYPE_##kind); __uint(max_entries, 4096); more } name SEC(".maps")
MAP(hash, HASH, __type(key, int); __type(value, int););
MAP(counts, PERCPU_ARRAY, __type(key, int); __type(value, int););
MAP(queue, QUEUE, __type(value, int););
MAP(ring, RINGBUF, );
MAP(progs, PROG_ARRAY, __type(key, int); __type(value, int););
MAP(events, PERF_EVENT_ARRAY, __type(key, int); __type(value, int););
SEC("tc") int tail_hash(struct __sk_buff *ctx) { bpf_tail_call(ctx, &hash, 0); return 0; }
SEC("tc") int tail(struct __sk_buff *ctx) { bpf_tail_call(ctx, &progs, 0); return 0; }
SEC("tc") int look_progs(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_elem(&progs, &k) != 0; }
SEC("tc") int update_queue(struct __sk_buff *ctx) { int k = 0; return bpf_map_update_elem(&queue, &k, &k, 0); }
SEC("tc") int push_queue(struct __sk_buff *ctx) { int k = 0; return bpf_map_push_elem(&queue, &k, 0); }
SEC("tc") int push_hash(struct __sk_buff *ctx) { int k = 0; return bpf_map_push_elem(&hash, &k, 0); }
SEC("tc") int look_hash(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_elem(&hash, &k) != 0; }
SEC("tc") int output_ring(struct __sk_buff *ctx) { int k = 0; return bpf_perf_event_output(ctx, &ring, 0, &k, 4); }
SEC("tc") int output(struct __sk_buff *ctx) { int k = 0; return bpf_perf_event_output(ctx, &events, 0, &k, 4); }
SEC("tc") int ring_events(struct __sk_buff *ctx) { int k = 0; return bpf_ringbuf_output(&events, &k, 4, 0); }
SEC("tc") int dead(struct __sk_buff *ctx) { int k = 0; return off ? bpf_map_push_elem(&hash, &k, 0) : 1; }
SEC("tc") int percpu_hash(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_percpu_elem(&hash, &k, 0) != 0; }
SEC("tc") int percpu(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_percpu_elem(&counts, &k, 0) != 0; }
SEC("tc") int each_queue(struct __sk_buff *ctx) { return bpf_for_each_map_elem(&queue, ctx, 0, 0); }
SEC("tc") int each(struct __sk_buff *ctx) { return bpf_for_each_map_elem(&hash, ctx, 0, 0) + bpf_for_each_map_elem(&counts, ctx, 0, 0); }
END

judge arena 'lookX' 'bpf_map_lookup_elem takes no map of type arena, such as arena' <<'END'
struct { __uint(type, 33); __uint(max_entries, 1); __uint(map_flags, BPF_F_MMAPABLE); } arena SEC(".maps");
SEC("tc") int look(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_elem(&arena, &k) != 0; }
END

# Behind a guard, user space may give the map another type for the kernels that get there.
judge guarded 'either+ neverX' 'bpf_perf_event_output takes no map of type hash, such as hash' <<'END'
#include <bpf/bpf_core_read.h>
enum bpf_map_type___mine { BPF_MAP_TYPE_RINGBUF___mine = 27 };
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } events SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int); __type(value, int); } hash SEC(".maps");
static noinline int send(void *ctx, int k) {
  if (bpf_core_enum_value_exists(enum bpf_map_type___mine, BPF_MAP_TYPE_RINGBUF___mine)) return bpf_ringbuf_output(&events, &k, 4, 0);
  return bpf_perf_event_output(ctx, &events, 0, &k, 4);
}
SEC("tc") int either(struct __sk_buff *ctx) { return send(ctx, 1); }
SEC("tc") int never(struct __sk_buff *ctx) { int k = 0; return bpf_perf_event_output(ctx, &hash, 0, &k, 4); }
END

# Verifiers add up the stacks of all calls before they drop code that they do not reach.
judge circle 'onceX twice+' "function 'even' calls itself, directly or through others" <<'END'
static noinline int odd(int n);
static noinline int even(int n) { return n ? odd(n - 1) : 1; }
static noinline int odd(int n) { return n ? even(n - 1) : 0; }
SEC("socket") int once(struct __sk_buff *ctx) { return off ? even(ctx->len) : 0; }
SEC("socket") int twice(struct __sk_buff *ctx) { return off; }
END

# Before Linux 6.8, verifiers looked into all global functions of a program.
advice='and verifiers accept only'
judge prototypes 'hiddenX pointerX by_valueX union_valueX fine+ unreached+' \
  "global function 'takes_hidden' takes 'struct hidden *p', $advice pointers to what has a size (the first of 2)
global function 'gives_pointer' returns 'struct two *', $advice numbers
global function 'takes_struct' takes 'struct two v', and verifiers accept only numbers and pointers
global function 'takes_union' takes 'union either v', $advice numbers and pointers" \
  'hiddenX pointerX by_valueX union_valueX fine+ unreachedX' <<'END'
struct hidden;
struct two { long a, b; };
union either { long a; int b; };
noinline int takes_hidden(struct hidden *p) { return p != 0; }
noinline struct two *gives_pointer(long v) { asm volatile("" : "+r"(v)); return (void *)v; }
noinline int takes_struct(struct two v) { asm volatile(""); return v.a + v.b; }
noinline int takes_union(union either v) { asm volatile(""); return v.a; }
noinline int takes_two(struct two *p) { return p ? p->a : 0; }
noinline int dead_hidden(struct hidden *p) { return p != 0; }
static noinline int local(struct hidden *p) { asm volatile(""); return p != 0; }
SEC("tc") int hidden(struct __sk_buff *c) { struct hidden *n = 0; asm volatile("" : "+r"(n)); return takes_hidden(n); }
SEC("tc") int pointer(struct __sk_buff *c) { return gives_pointer(0) != 0; }
SEC("tc") int by_value(struct __sk_buff *c) { return takes_struct((struct two){1, 2}); }
SEC("tc") int union_value(struct __sk_buff *c) { return takes_union((union either){1}); }
SEC("tc") int fine(struct __sk_buff *c) { struct two t = {1, 2}; return takes_two(&t) + local((void *)c); }
SEC("tc") int unreached(struct __sk_buff *c) { struct hidden *n = 0; asm volatile("" : "+r"(n)); return off ? dead_hidden(n) : 1; }
END

"$BPFLINK" prototypes.o -o linked.o 2>log
grep -qF '>>> pass a pointer to it' log || fail "$(<log)"

# A kernel creates such maps without their types, and only a lock is refused. Lists came with Linux 6.2.
values() { # NUMBER MARKS WARNING MEMBERS [OLD]
  judge "values$1" "$2" "$3" "${5:-}" <<END
struct bpf_list_head { __u64 a, b; } __attribute__((aligned(8)));
struct bpf_list_node { __u64 a, b, c; } __attribute__((aligned(8)));
struct node { long x; struct bpf_list_node n; } *kept;
struct value { $4 };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct value); } map SEC(".maps");
SEC("tc") int locks(struct __sk_buff *ctx) {
  int k = 0;
  struct value *v = bpf_map_lookup_elem(&map, &k);
  if (!v) return 0;
  bpf_spin_lock(&v->lock), bpf_spin_unlock(&v->lock);
  return 0;
}
SEC("tc") int looks(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_elem(&map, &k) != 0 || kept; }
END
}
values 1 'locksX looks+' "map 'map' has a value with 2 locks, and kernels accept one" 'struct bpf_spin_lock lock, other;'
list='struct bpf_spin_lock lock; struct bpf_list_head head __attribute__((btf_decl_tag("contains:node:'
values 2 'locks+ looks+' '' "${list}n\")));"
values 3 'locksX looks+' "map 'map' has a bpf_list_head whose tag 'contains:node:m' names no bpf_list_node of a struct" "${list}m\")));" 'locks+ looks+'
values 4 'locksX looks+' "map 'map' has a bpf_list_head without a tag that says what it contains" \
  'struct bpf_spin_lock lock; struct bpf_list_head head;' 'locks+ looks+'

# Verifiers before Linux 5.13 know no address of a function, wherever it is.
compile address <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
const volatile int off;
static long visit(__u32 i, void *data) { return 0; }
SEC("tc") int loops(void *ctx) { return off ? bpf_loop(2, visit, 0, 0) : 1; }
SEC("tc") int other(void *ctx) { return 2; }
END
fits 'loopsX other+' address.o plain.btf --release 5.12.0
core 1 check address.o plain.btf --release 5.12.0
says 'error: there are no callbacks, which came with Linux 5.13 in plain.btf'
fits 'loops+ other+' address.o plain.btf --release 5.13.0

# Loaders fill in no addresses of labels in data, as clang 24 leaves them.
judge labels 'jumpsX good+' 'no kernel takes tables of labels' <<'END'
asm(".section .rodata,\"a\",@progbits\n.type table,@object\n.size table, 16\ntable: .quad .Lone\n.quad .Ltwo");
SEC("xdp") __attribute__((naked)) int jumps(struct xdp_md *ctx) {
  asm volatile("r1 = *(u32 *)(r1 + 0); r1 &= 1; r1 <<= 3; r2 = table ll; r2 += r1; r1 = *(u64 *)(r2 + 0);"
               ".byte 0x0d, 1, 0, 0, 0, 0, 0, 0; .Lone: r0 = 1; exit; .Ltwo: r0 = 2; exit");
}
SEC("xdp") int good(struct xdp_md *ctx) { return XDP_PASS; }
END
"$BPFLINK" labels.o -o linked.o 2>log
grep -qF '>>> use a switch' log || fail "$(<log)"
