#!/bin/bash
# What a loader or every kernel refuses, for reasons that stand in the object: the link warns, with the place, the
# cause and a cure, and bpfcore check says the same of the programs that have it, and of no others. A partial link
# says nothing. Linux 5.10, 6.1, 6.18 and 7.3 gave the verdicts; what libbpf refuses, it does not open here.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void bpf_rcu_read_lock(void) {} int bpf_lsm_file_open(void) { return 0; }'
cat >common.h <<'END'
#define noinline __attribute__((noinline))
const volatile int off;
END

# told: the check says what each warning of the link says, without quotes around names
told() {
  local text
  while IFS= read -r text; do
    text=$(sed -E "s/ \(the first of [0-9]+\)//; s/loaders do not know the type|libbpf refuses programs in section/the type of programs in section/
      s/(the type of programs in section) of .* section/\1/; s/libbpf refuses/whether a loader takes/; s/(map|function) '([^']*)'/\1 \2/" <<<"$text")
    sed "s/'?/'/" core.log | has -F -- "$text" || fail "$1: the check does not say '$text': $(<core.log)"
  done < <(sed -n 's/.*: warning: //p' log)
}

# rule NAME MARKS MESSAGES [OLD] <SOURCE: NAME.o links with these messages, lines of source and places of definitions
# aside, and its programs get these marks; old kernels give the marks OLD
rule() {
  local release
  compile "$1" -include common.h
  "$BPFLINK" "$1.o" -o linked.o 2>log || fail "$1 does not link: $(<log)"
  [[ $(sed -E '/^ +([0-9]+ )?\| |^>>>     (defined|declared) in /d' log) == "$3" ]] || fail "$1: $(<log)"
  "$BPFLINK" -r "$1.o" -o part.o 2>part.log && [[ ! -s part.log ]] || fail "-r $1: $(<part.log)"
  if [[ $3 == *'libbpf refuses'* && ! ${is_opened:-} ]]; then unopened "$1.o"; fi
  for release in ${releases:-6.12.0 7.3.0}; do fits "$2" "$1.o" plain.btf --release "$release"; done
  told "$1"
  for release in ${old_releases-5.12.0 6.1.0}; do fits "${4:-$2}" "$1.o" plain.btf --release "$release"; done
}
# unopened OBJECT: libbpf and bpfskel do not open it
unopened() {
  ! bpftool gen skeleton "$1" &>/dev/null || fail "libbpf opens $1"
  if "$BPFSKEL" "$1" -o skeleton.h 2>part.log || [[ -e skeleton.h ]] || ! grep -q ': error: ' part.log; then fail "a skeleton of $1: $(<part.log)"; fi
}

# ---- functions

rule static 'prog?' 'static.bpf.c:2:35: warning: libbpf refuses static programs: pass, drop
>>> in static.bpf.c:2
>>> in static.bpf.c:3
>>> remove static' <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
SEC("socket") static noinline int pass(void *ctx) { return 2; }
SEC("socket") static noinline int drop(void *ctx) { return 0; }
int (*const kept[])(void *) __attribute__((used)) = {pass, drop};
END
says '>>> libbpf does not open '
old_releases=6.1.0 rule called 'part? other? prog? user?' 'called.bpf.c:4:64: warning: libbpf refuses programs that code refers to: other, part
>>> in called.bpf.c:4
>>> in called.bpf.c:3
>>> move the shared code into a function without SEC()' <<'END'
SEC("tc") noinline int part(struct __sk_buff *ctx) { return ctx->len; }
SEC("tc") noinline int other(struct __sk_buff *ctx) { return ctx->mark; }
SEC("tc") int prog(struct __sk_buff *ctx) { return part(ctx) + 1; }
SEC("tc") int user(struct __sk_buff *ctx) { return bpf_loop(1, other, 0, 0); }
END

# Verifiers add up the stacks of all calls before they drop code that they do not reach.
rule circle 'onceX twice+' "circle.bpf.c:2:46: warning: function 'even' calls itself, directly or through others
>>> in circle.bpf.c:2
>>> in circle.bpf.c:3
>>> verifiers allow no recursion: use a loop" <<'END'
static noinline int odd(int n);
static noinline int even(int n) { return n ? odd(n - 1) : 1; }
static noinline int odd(int n) { return n ? even(n - 1) : 0; }
SEC("socket") int once(struct __sk_buff *ctx) { return off ? even(ctx->len) : 0; }
SEC("socket") int twice(struct __sk_buff *ctx) { return off; }
END

rule pointers 'throughX calls+ oddX' 'pointers.bpf.c:4:93: warning: no kernel takes calls through pointers
>>> in pointers.bpf.c:4
>>> call functions by their names, in a switch or ifs
pointers.bpf.c:6:65: warning: no kernel takes instructions that no kernel has
>>> in pointers.bpf.c:6' <<'END'
static noinline int twice(int x) { return x * 2; }
static noinline int thrice(int x) { return x * 3; }
int which;
SEC("xdp") int through(struct xdp_md *ctx) { int (*f)(int) = which ? twice : thrice; return f((long)ctx); }
SEC("xdp") int calls(struct xdp_md *ctx) { return which ? twice(1) : thrice(2); }
SEC("xdp") __attribute__((naked)) int odd(struct xdp_md *ctx) { asm volatile("r0 = 2; exit; .byte 0xe4, 0, 0, 0, 0, 0, 0, 0"); }
END
fits 'through? calls+ odd?' pointers.o plain.btf
core 1 check pointers.o plain.btf --release 6.12.0
says '>>> needed by program through'

# Before Linux 6.8, verifiers looked into all global functions of a program.
rule prototypes 'hiddenX pointerX by_valueX union_valueX untypedX fine+ dynptr+ unreached+' \
  "prototypes.bpf.c:4:14: warning: global function 'takes_hidden' takes 'struct hidden *p', and verifiers accept only pointers to what has a size (the first of 2)
>>> give it a type, or a tag such as __arg_ctx, or make it static or __hidden
>>> also 'dead_hidden' in prototypes.bpf.c:11
prototypes.bpf.c:5:22: warning: global function 'gives_pointer' returns 'struct two *', and verifiers accept only numbers
>>> return an int, or make it static or __hidden
prototypes.bpf.c:6:14: warning: global function 'takes_struct' takes 'struct two v', and verifiers accept only numbers and pointers
>>> pass a pointer to it, or make it static or __hidden
prototypes.bpf.c:7:14: warning: global function 'takes_union' takes 'union either v', and verifiers accept only numbers and pointers
>>> pass a pointer to it, or make it static or __hidden
prototypes.bpf.c:8:14: warning: global function 'takes_void' takes 'void *p', and verifiers accept only pointers to what has a size
>>> give it a type, or a tag such as __arg_ctx, or make it static or __hidden" 'hiddenX pointerX by_valueX union_valueX untypedX fine+ dynptr+ unreachedX' <<'END'
struct hidden;
struct two { long a, b; };
union either { long a; int b; };
noinline int takes_hidden(struct hidden *p) { return p != 0; }
noinline struct two *gives_pointer(long v) { asm volatile("" : "+r"(v)); return (void *)v; }
noinline int takes_struct(struct two v) { asm volatile(""); return v.a + v.b; }
noinline int takes_union(union either v) { asm volatile(""); return v.a; }
noinline int takes_void(void *p) { return p != 0; }
noinline int takes_two(struct two *p) { return p ? p->a : 0; }
noinline int tagged(void *p __attribute__((btf_decl_tag("arg:ctx")))) { return p != 0; }
noinline int dead_hidden(struct hidden *p) { return p != 0; }
noinline struct two *unused(void *p) { return p; }
static noinline int local(struct hidden *p) { asm volatile(""); return p != 0; }
SEC("tc") int hidden(struct __sk_buff *c) { struct hidden *n = 0; asm volatile("" : "+r"(n)); return takes_hidden(n); }
SEC("tc") int pointer(struct __sk_buff *c) { return gives_pointer(0) != 0; }
SEC("tc") int by_value(struct __sk_buff *c) { return takes_struct((struct two){1, 2}); }
SEC("tc") int union_value(struct __sk_buff *c) { return takes_union((union either){1}); }
SEC("tc") int untyped(struct __sk_buff *c) { return takes_void(c); }
SEC("tc") int fine(struct __sk_buff *c) { struct two t = {1, 2}; return takes_two(&t) + local((void *)c) + tagged(c); }
struct bpf_dynptr;
noinline int takes_dynptr(struct bpf_dynptr *p) { return p != 0; }
SEC("tc") int dynptr(struct __sk_buff *c) { struct bpf_dynptr *p = (void *)c; asm volatile("" : "+r"(p)); return takes_dynptr(p); }
SEC("tc") int unreached(struct __sk_buff *c) { struct hidden *n = 0; asm volatile("" : "+r"(n)); return off ? dead_hidden(n) : 1; }
END

releases='7.2.0 7.3.0' old_releases='6.12.0 6.18.0' rule arena 'prog+' '' 'progX' <<'END'
noinline int __attribute__((btf_type_tag("arena"))) *gives(long v) { asm volatile("" : "+r"(v)); return (void *)v; }
SEC("tc") int prog(struct __sk_buff *c) { return gives(0) != 0; }
END
fits 'prog?' arena.o plain.btf --release 7.0.0
says "not known of plain.btf: global functions that return pointers into an arena"

releases=7.0.0 old_releases=5.5.0 rule voids 'countsX passes+' 'voids.bpf.c:2:15: warning: global functions that return void came with Linux 7.1
>>> let bump return an int, or make it static or __hidden' 'counts+ passes+' <<'END'
int seen;
noinline void bump(int by) { seen += by; }
noinline __attribute__((visibility("hidden"))) void hidden(int by) { seen += by; }
static noinline void local(int by) { seen += by; }
noinline void unused(int by) { seen += by; }
SEC("xdp") int counts(struct xdp_md *ctx) { bump(ctx->rx_queue_index); return 2; }
SEC("xdp") int passes(struct xdp_md *ctx) { hidden(ctx->rx_queue_index), local(1); return 2; }
END
fits 'counts+ passes+' voids.o plain.btf --release 7.1.0

# A sixth argument that the function's type does not have
releases=7.3.0 old_releases='' rule stack5 'passesX' 'stack5.bpf.c:3:3: warning: a function loads an argument from the stack that its type does not have
>>> in stack5.bpf.c:3
>>> let its callers and its definition agree, or compile with less optimization' <<'END'
noinline static int sum(int a, int b, int c, int d, int e) {
  long r;
  asm volatile(".byte 0x79, 0xb0, 8, 0, 0, 0, 0, 0; %0 = r0" : "=r"(r) : : "r0"); // r0 = *(u64 *)(r11 + 8)
  return a + b * c - d + e + r;
}
SEC("xdp") int passes(void *ctx) { return sum(1, (long)ctx & 3, 3, 4, 5) & 1; }
END

# Loaders fill in no addresses of labels in data, as clang 24 leaves them.
rule labels 'jumpsX good+' 'labels.bpf.c:3:3: warning: no kernel takes tables of labels
>>> in labels.bpf.c:3
>>> use a switch' <<'END'
asm(".section .rodata,\"a\",@progbits\n.type table,@object\n.size table, 16\ntable: .quad .Lone\n.quad .Ltwo");
SEC("xdp") __attribute__((naked)) int jumps(struct xdp_md *ctx) {
  asm volatile("r1 = *(u32 *)(r1 + 0); r1 &= 1; r1 <<= 3; r2 = table ll; r2 += r1; r1 = *(u64 *)(r2 + 0);"
               ".byte 0x0d, 1, 0, 0, 0, 0, 0, 0; .Lone: r0 = 1; exit; .Ltwo: r0 = 2; exit");
}
SEC("xdp") int good(struct xdp_md *ctx) { return XDP_PASS; }
END

# ---- maps

# What no kernel creates: a row has what is said of a map of the type, and the definition. Of what user space may
# still set, nothing is said.
n=0
while IFS='|' read -r text definition; do
  n=$((n + 1))
  echo "struct { __uint(type, BPF_MAP_TYPE_$definition } m$n SEC(\".maps\");" >>rows.c
  [[ ! $text ]] || echo "map 'm$n' of type $(sed 's/).*//' <<<"${definition,,}") $text" >>want
done <<'END_OF_ROWS'
has a value of 8 bytes: such maps have no values|RINGBUF); __uint(max_entries, 4096); __type(value, long);
lacks BPF_F_NO_PREALLOC|LPM_TRIE); __type(key, long); __type(value, int); __uint(max_entries, 1);
has a key of 4 bytes: such maps have no keys|QUEUE); __type(key, int); __type(value, int); __uint(max_entries, 1);
has a value of 40000 bytes: it must have 1 to 32768|PERCPU_ARRAY); __type(key, int); __type(value, char[40000]); __uint(max_entries, 1);
has a key of 8 bytes: the key is an index of 4 bytes|ARRAY); __type(key, long); __type(value, int); __uint(max_entries, 1);
has no key|HASH); __type(value, int); __uint(max_entries, 1);
has a key of 0 bytes: it must have 1 or more|HASH); __uint(max_entries, 1); __uint(key_size, 0); __type(value, int);
has no value|LRU_HASH); __type(key, int); __uint(max_entries, 1);
has BPF_F_NO_PREALLOC, which such maps do not take|ARRAY); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_NO_PREALLOC);
has BPF_F_RDONLY_PROG and BPF_F_WRONLY_PROG|HASH); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG);
has a value of 8 bytes: it must have 4|PERF_EVENT_ARRAY); __type(key, int); __type(value, long);
has 9 max_entries: such maps take none|TASK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int); __uint(max_entries, 9);
has no types of its key and value|SK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __uint(key_size, 4); __uint(value_size, 4);
has a value of 12 bytes: it must be a multiple of 8|STACK_TRACE); __type(key, int); __uint(value_size, 12); __uint(max_entries, 1);
has a value of 16 bytes: it must have 4 or 8|SOCKMAP); __type(key, int); __uint(value_size, 16); __uint(max_entries, 1);
has map_extra, which such maps do not take|HASH); __type(key, int); __type(value, int); __uint(map_extra, 3);
has 16 hash functions in map_extra: it must have 0 to 15|BLOOM_FILTER); __uint(max_entries, 1); __uint(value_size, 4); __uint(map_extra, 16);
|STACK_TRACE); __uint(key_size, 4);
|HASH); __type(key, int); __type(value, int);
|RINGBUF);
|PERCPU_HASH); __uint(key_size, 8); __uint(value_size, 32768);
|DEVMAP_HASH); __uint(key_size, 4); __uint(value_size, 8);
|UNSPEC + 99);
|PROG_ARRAY); __uint(max_entries, 1); __type(key, int); __array(values, int (void *));
END_OF_ROWS
prog='SEC("xdp") int prog(struct xdp_md *ctx) { return 2; }'
{ cat rows.c && echo "$prog"; } | compile rows -include common.h
"$BPFLINK" rows.o -o linked.o 2>log
diff want <(sed -n 's/.*: warning: //p' log) || fail 'maps that no kernel creates: wanted (<) and said (>)'
expect "rows.bpf.c:1: warning: map 'm1' of type ringbuf has a value of 8 bytes: such maps have no values" head -n 1 log
core 1 check rows.o plain.btf --release 6.12.0
told rows
[[ $(grep -c 'error: map ' core.log) == "$(wc -l <want)" ]] || fail "$(<core.log)"
for hint in '__uint(map_flags, BPF_F_NO_PREALLOC);' '__type(key, int); __type(value, ...);'; do
  says ">>> $hint"
  has -xF ">>> $hint" <log || fail "no hint $hint: $(<log)"
done

# What libbpf does not open: other loaders take some of it.
inner='struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int)'
outer='__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 1); __type(key, int); __array(values, struct inner);'
hash='__uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int);'
while IFS='|' read -r mark text hint before definition; do
  if [[ $mark == X ]]; then what="map 'map'"; else what="libbpf refuses map 'map', which"; fi
  is_opened=$hint releases=6.12.0 old_releases='' rule row "prog$mark" "row.bpf.c:2: warning: $what $text${hint:+$'\n'>>> $hint}" <<<"$before
struct { $definition } map SEC(\".maps\");
$prog"
  if [[ $hint ]]; then says ">>> libbpf does not open it: $hint"; else unopened row.o; fi
done <<END_OF_ROWS
X|has no type|||__uint(max_entries, 1); __type(key, int); __type(value, int);
X|has an unknown attribute 'more'|||$hash __type(value, int); __uint(more, 1);
X|has a type without __uint()|||int type; __type(key, int); __type(value, int);
X|has a key without __type()|||__uint(type, BPF_MAP_TYPE_HASH); int key; __type(value, int);
X|has a value without a size||struct unknown;|$hash struct unknown *value;
X|of type hash has values: maps of maps and prog_array do||$inner; };|$hash __array(values, struct inner);
X|has values that are not functions|||__uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __type(key, int); __array(values, int);
X|has values that are not maps||struct inner; typedef int number;|${outer/struct inner/number}
X|has an inner map that is pinned||$inner; __uint(pinning, 1); };|$outer
X|has an inner map that has values of its own||struct leaf { int a; }; $inner; __array(values, struct leaf); };|$outer
?|has a pinning of 77, and libbpf takes 0 and 1|||$hash __type(value, int); __uint(pinning, 77);
?|has a value of 4 bytes and a value_size of 0|||$hash __type(value, int); __uint(value_size, 0);
?|has a key of 4 bytes and a key_size of 8|||__uint(type, BPF_MAP_TYPE_HASH); __type(key, int); __uint(key_size, 8); __type(value, int); __uint(max_entries, 1);
?|has no key, which maps of type perf_event_array need and libbpf does not add|__uint(key_size, sizeof(int));||__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); __uint(value_size, 4);
?|has no key, which maps of type prog_array need and libbpf does not add|__uint(key_size, sizeof(int));||__uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(value_size, 4); __uint(max_entries, 1);
?|has no key, which maps of type cgroup_array need and libbpf does not add|__uint(key_size, sizeof(int));||__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY); __uint(value_size, 4); __uint(max_entries, 1);
?|has no key, which maps of type array_of_maps need and libbpf does not add|__uint(key_size, sizeof(int));||__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(value_size, 4); __uint(max_entries, 1);
?|has no value, which maps of type hash_of_maps need and libbpf does not add|__uint(value_size, sizeof(int));||__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS); __uint(key_size, 8); __uint(max_entries, 1);
END_OF_ROWS
compile sized <<<"struct { $hash __uint(value_size, 0); __type(value, int); } map SEC(\".maps\"); $prog"
core 0 check sized.o plain.btf
says_not whether
llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --remove-section=.rel.BTF row.o bare.o
core 1 check bare.o plain.btf
says 'error: map map has no BTF that describes it in plain.btf'

releases='6.12.0 7.3.0' old_releases='' rule variable 'prog?' "variable.bpf.c:1: warning: libbpf refuses variables in an arena, such as shared, without a map of one
>>> __uint(type, BPF_MAP_TYPE_ARENA)" <<<'int __attribute__((address_space(1))) shared;
SEC("socket") int prog(void *ctx) { return shared; }'
is_opened=yes releases=6.12.0 old_releases='' rule arenas progX 'arenas.bpf.c:1: warning: libbpf refuses 2 arenas' <<'END'
struct { __uint(type, 33); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, 1); } first SEC(".maps"), other SEC(".maps");
SEC("socket") int prog(void *ctx) { return (long)&first == (long)&other; }
END

# What helpers do with a map of another type
rule uses 'tail_hashX tail+ look_progsX update_queueX push_queue+ push_hashX look_hash+ output_ringX output+ ring_eventsX dead+ percpu_hashX percpu+ each_queueX each+ skips+' \
  'uses.bpf.c:21:81: warning: bpf_for_each_map_elem takes no map of type queue, such as queue
>>> in uses.bpf.c:21
uses.bpf.c:10:90: warning: bpf_map_lookup_elem takes no map of type prog_array, such as progs
>>> in uses.bpf.c:10
uses.bpf.c:19:98: warning: bpf_map_lookup_percpu_elem takes no map of type hash, such as hash
>>> in uses.bpf.c:19
uses.bpf.c:13:87: warning: bpf_map_push_elem takes no map of type hash, such as hash
>>> in uses.bpf.c:13
uses.bpf.c:11:92: warning: bpf_map_update_elem takes no map of type queue, such as queue
>>> in uses.bpf.c:11
uses.bpf.c:15:98: warning: bpf_perf_event_output takes no map of type ringbuf, such as ring
>>> in uses.bpf.c:15
uses.bpf.c:17:90: warning: bpf_ringbuf_output takes no map of type perf_event_array, such as events
>>> in uses.bpf.c:17
uses.bpf.c:8:70: warning: bpf_tail_call takes no map of type hash, such as hash
>>> in uses.bpf.c:8' <<'END'
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
SEC("tc") __attribute__((naked)) int skips(struct __sk_buff *ctx) {
  asm volatile("r2 = *(u32 *)(r1 + 0); r1 = queue ll; if r2 > 4 goto 1f; r1 = hash ll; r0 = 1; exit;"
               "1: r3 = 0; *(u32 *)(r10 - 4) = r3; r2 = r10; r2 += -4; call 87; r0 = 0; exit"); // push
}
END
rule arena 'lookX' 'arena.bpf.c:2:84: warning: bpf_map_lookup_elem takes no map of type arena, such as arena
>>> in arena.bpf.c:2' <<'END'
struct { __uint(type, 33); __uint(max_entries, 1); __uint(map_flags, BPF_F_MMAPABLE); __uint(map_extra, 1 << 20); } arena SEC(".maps");
SEC("tc") int look(struct __sk_buff *ctx) { int k = 0; return bpf_map_lookup_elem(&arena, &k) != 0; }
END
# Behind a guard, user space may give the map another type for the kernels that get there.
rule guarded 'either+ neverX' 'guarded.bpf.c:10:92: warning: bpf_perf_event_output takes no map of type hash, such as hash
>>> in guarded.bpf.c:10' <<'END'
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

# A kernel creates such maps without their types, and only a lock is refused. Lists came with Linux 6.2.
values() { # NUMBER MARKS WARNING MEMBERS [OLD]
  releases='6.2.0 7.3.0' rule "values$1" "$2" "${3:+values$1.bpf.c:5: warning: map 'map' $3}" "${5:-}" <<END
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
lock='struct bpf_spin_lock lock' list="struct bpf_list_head head __attribute__((btf_decl_tag(\"contains:node:"
values 1 'locksX looks+' "has a value with 2 locks, and kernels accept one" "$lock, other;"
values 2 'locks+ looks+' '' "$lock; ${list}n\")));"
values 3 'locksX looks+' "has a bpf_list_head whose tag 'contains:node:m' names no bpf_list_node of a struct" "$lock; ${list}m\")));" 'locks+ looks+'
values 4 'locksX looks+' "has a bpf_list_head without a tag that says what it contains" "$lock; struct bpf_list_head head;" 'locks+ looks+'

# ---- sections

rule far 'prog?' 'far.bpf.c:2:44: warning: libbpf refuses sections that code refers to: far
>>> in far.bpf.c:2
>>> variables of programs are in .data, .rodata, .bss, or in SEC(".data.NAME")' <<'END'
int number SEC("far") = 3;
SEC("socket") int prog(void *ctx) { return *(volatile int *)&number; }
END
rule member otherX 'member.bpf.c:2:5: warning: libbpf refuses struct_ops members that are not struct_ops programs: run
>>> give each SEC("struct_ops")' <<'END'
struct ops { int (*run)(void *); };
int run(void *ctx) { return 1; }
SEC("struct_ops/other") int other(void *ctx) { return 1; }
SEC(".struct_ops") struct ops ops = {.run = run};
END
is_opened=yes rule sections 'misspelled? connects? own? sample? plural? optional? chosen? replaces? fits+' "sections.bpf.c:1:16: warning: loaders do not know the type of programs in section 'xpd'
>>> did you mean SEC(\"xdp\")?
sections.bpf.c:2:27: warning: loaders do not know the type of programs in section 'cgroup/conect4'
>>> did you mean SEC(\"cgroup/connect4\")?
sections.bpf.c:4:31: warning: libbpf refuses programs in section 'perf_event/sampler'
>>> for libbpf: SEC(\"perf_event\"); other loaders, such as cilium/ebpf, let a name follow
sections.bpf.c:5:43: warning: loaders do not know the type of programs in section 'tracepoints/sched/sched_switch'
>>> did you mean SEC(\"tracepoint/sched/sched_switch\")?
sections.bpf.c:6:27: warning: loaders do not know the type of programs in section 'kprob/do_exit'
>>> did you mean SEC(\"kprobe/do_exit\")?" <<'END'
SEC("xpd") int misspelled(void *ctx) { return 2; }
SEC("cgroup/conect4") int connects(void *ctx) { return 1; }
SEC("own_way") int own(void *ctx) { return 2; }
SEC("perf_event/sampler") int sample(void *ctx) { return 2; }
SEC("tracepoints/sched/sched_switch") int plural(void *ctx) { return 0; }
SEC("?kprob/do_exit") int optional(void *ctx) { return 0; }
SEC("sk_skb1") int chosen(void *ctx) { return 0; }
SEC("freplace/f") int replaces(void *ctx) { return 2; }
SEC("xdp") int fits(void *ctx) { return 2; }
END
for text in '>>> did you mean cgroup/connect4?' "the type of programs in section 'own_way'" 'not known of plain.btf: the target of replaces'; do says "$text"; done
says ">>> libbpf wants 'perf_event' alone; cilium/ebpf lets a name follow"
compile legacy <<'END'
struct bpf_map_def { unsigned type, key_size, value_size, max_entries, flags; };
struct bpf_map_def SEC("maps") old = {BPF_MAP_TYPE_HASH, 4, 4, 1};
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&old, &key) != 0; }
END
"$BPFLINK" legacy.o -o linked.o 2>log
expect 'bpflink: warning: legacy.o: libbpf 1.0 and later refuse maps in SEC("maps")
>>> define them in SEC(".maps")' cat log
unopened legacy.o
fits prog? legacy.o plain.btf
says 'whether a loader takes maps in SEC("maps"): old'
says '>>> libbpf does not open an object that has one'

# ---- licenses

license_header= rule license 'plain+ printsX locksX opensX startsX' 'license.bpf.c:6:26: warning: a lsm program has no GPL license
>>> char LICENSE[] SEC("license") = "GPL"; or --license GPL
license.bpf.c:7:28: warning: a struct_ops program has no GPL license
>>> char LICENSE[] SEC("license") = "GPL"; or --license GPL
license.bpf.c:4:62: warning: a program without a GPL license calls bpf_trace_printk (the first of 2)
>>> in license.bpf.c:4
>>> char LICENSE[] SEC("license") = "GPL"; or --license GPL
>>> also '"'bpf_rcu_read_lock'"' in license.bpf.c:5' <<'END'
extern void bpf_rcu_read_lock(void) __ksym;
static noinline __attribute__((used)) int unused(void) { return bpf_get_current_task() != 0; }
SEC("xdp") int plain(void *ctx) { return bpf_get_smp_processor_id(); }
SEC("xdp") int prints(void *ctx) { char text[] = "x"; return bpf_trace_printk(text, 2); }
SEC("xdp") int locks(void *ctx) { bpf_rcu_read_lock(); bpf_rcu_read_lock(); return 0; }
SEC("lsm/file_open") int opens(void *ctx) { return 0; }
SEC("struct_ops/init") int starts(void *ctx) { return 0; }
END
"$BPFLINK" --license Proprietary license.o -o linked.o 2>part.log
cmp log part.log
for license in GPL 'GPL v2' 'GPL and additional rights' 'Dual BSD/GPL' 'Dual MIT/GPL' 'Dual MPL/GPL'; do
  "$BPFLINK" --license "$license" license.o -o linked.o 2>part.log
  [[ ! -s part.log ]] || fail "of the license $license: $(<part.log)"
  core 0 check linked.o plain.btf --release 6.12.0
  says_not GPL
done
