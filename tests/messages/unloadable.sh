#!/bin/bash
# What links, and what a loader or verifier then refuses or ignores, for reasons that stand in the
# objects: each with its line, the cause and a cure.
. "$(dirname "$0")/common.sh"

# warns TEXT INPUT...: a link of the inputs succeeds with TEXT as its messages, lines of source and
# places of definitions aside, and so, without any, a partial link
warns() {
  local want=$1
  shift
  "$BPFLINK" "$@" -o out.o 2>errors || mistake "$*: fails: $(<errors)"
  [[ $(sed -E '/^ +([0-9]+ )?\| |^>>>     defined in /d' errors) == "$want" ]] || mistake "$*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$(<errors)"
  "$BPFLINK" -r "$@" -o out.o 2>errors && [[ ! -s errors ]] || mistake "-r $*: $(<errors)"
}
# opens_not TEXT INPUT...: libbpf does not open the object, so there is no skeleton either
opens_not() {
  warns "$@"
  shift
  ! "$BPFSKEL" "$@" -o skeleton.h 2>errors || mistake "bpfskel $*: succeeds"
  grep -q ': error: ' errors || mistake "bpfskel $*: $(<errors)"
  [[ ! -e skeleton.h ]] || mistake "bpfskel $*: leaves a skeleton"
}

# ---- functions
compile static <<<'static SEC("xdp") int pass(struct xdp_md *ctx) { return 2; }
static SEC("xdp") int drop(struct xdp_md *ctx) { return 1; }
int (*const kept[])(struct xdp_md *) __attribute__((used)) = {pass, drop};'
opens_not 'static.bpf.c:1:23: warning: libbpf refuses static programs: pass, drop
>>> in static.bpf.c:1
>>> in static.bpf.c:2
>>> remove static' static.o

compile even <<'END'
int odd(int n);
__attribute__((noinline)) int even(int n) { return n ? odd(n - 1) : 1; }
SEC("socket") int prog(struct __sk_buff *ctx) { return even(ctx->len); }
END
compile odd <<<'int even(int n);
__attribute__((noinline)) int odd(int n) { return n ? even(n - 1) : 0; }'
warns "even.bpf.c:2:56: warning: function 'even' calls itself, directly or through others
>>> in even.bpf.c:2
>>> in odd.bpf.c:2
>>> verifiers allow no recursion: use a loop" even.o odd.o

compile globals <<'END'
int sum;
__attribute__((noinline)) void note(int x) { sum += x; }
__attribute__((noinline)) int *where(void) { barrier(); return &sum; }
__attribute__((noinline)) int first(void *p) { return p != 0; }
__attribute__((noinline)) int tagged(void *p __attribute__((btf_decl_tag("arg:ctx")))) { return p != 0; }
__attribute__((noinline, visibility("hidden"))) void hidden(int x) { sum += x; }
static __attribute__((noinline)) void local(int x) { sum += x; }
__attribute__((noinline)) void unused(int x) { sum += x; }
SEC("socket") int prog(struct __sk_buff *ctx) {
  note(ctx->len), hidden(ctx->len), local(ctx->mark);
  return *where() + first(ctx) + tagged(ctx);
}
END
warns "globals.bpf.c:2:32: warning: global functions that return void came with Linux 7.1
>>> let note return an int, or make it static or __hidden
globals.bpf.c:3:32: warning: global function 'where' returns 'int *', and verifiers accept only numbers
>>> return an int, or make it static or __hidden
globals.bpf.c:4:31: warning: global function 'first' takes 'void *p', and verifiers accept only pointers to what has a size
>>> give it a type, or a tag such as __arg_ctx, or make it static or __hidden" globals.o

# A global function with a pointer to a struct of the kernel: no caller has one to memory of its own.
compile kernel_object <<'END'
struct list_head { struct list_head *next, *prev; };
struct task_struct { long state; int pid; } __attribute__((preserve_access_index));
struct request { int tag; struct list_head queue; } __attribute__((preserve_access_index));
struct small { int value; } __attribute__((preserve_access_index));
struct own { long a, b; };
char LICENSE[] SEC("license") = "GPL";
#define read(p, field) ({ typeof((p)->field) to; bpf_probe_read_kernel(&to, sizeof to, &(p)->field); to; })
__attribute__((noinline)) int emit(struct task_struct *t) { return read(t, pid); }
__attribute__((noinline)) int tag_of(struct request *r) { return read(r, tag); }
__attribute__((noinline)) int value(struct small *s) { return s ? s->value : 0; }
__attribute__((noinline)) int sum(struct own *o) { return o ? o->a + o->b : 0; }
__attribute__((noinline)) int trusted(struct task_struct *t __attribute__((btf_decl_tag("arg:trusted")))) { return read(t, pid); }
__attribute__((noinline, visibility("hidden"))) int hidden(struct task_struct *t) { return read(t, pid); }
__attribute__((noinline)) int unused(struct task_struct *t) { return read(t, pid); }
SEC("tp_btf/sched_switch") int prog(unsigned long *ctx) {
  struct task_struct *t = (void *)ctx[1];
  struct own own = {1, 2};
  return emit(t) + tag_of((void *)ctx[2]) + value((void *)ctx[2]) + sum(&own) + trusted(t) + hidden(t);
}
END
warns "kernel_object.bpf.c:8:31: warning: global function 'emit' takes 'struct task_struct *t', and verifiers expect memory of the program there, not the kernel's
>>> mark the argument __arg_trusted (Linux 6.9), compile with -flto, or make the function static or __hidden, so that it is checked with its callers
kernel_object.bpf.c:9:31: warning: global function 'tag_of' takes 'struct request *r', and verifiers expect memory of the program there, not the kernel's
>>> mark the argument __arg_trusted (Linux 6.9), compile with -flto, or make the function static or __hidden, so that it is checked with its callers" kernel_object.o

compile nameless <<'END'
static int table[4] = {1, 2, 3, 4};
static __attribute__((noinline)) int local(int i) { return table[i & 3]++; }
SEC("socket") int prog(struct __sk_buff *ctx) { return local(ctx->len); }
END
llvm-strip-19 --strip-unneeded nameless.o
warns "nameless.bpf.c:3:56: warning: code calls a function without a symbol, which loaders do not find
>>> in nameless.bpf.c:3
>>> strip it with -g, not with --strip-unneeded" nameless.o

compile chosen <<'END'
static __attribute__((noinline)) int twice(int x) { return x * 2; }
static __attribute__((noinline)) int thrice(int x) { return x * 3; }
int which;
SEC("socket") int prog(struct __sk_buff *ctx) { int (*f)(int) = which ? twice : thrice; return f(ctx->len); }
END
warns "chosen.bpf.c:4:96: warning: no kernel takes calls through pointers
>>> in chosen.bpf.c:4
>>> call functions by their names, in a switch or ifs" chosen.o

# ---- maps
compile maps <<'END'
struct { __uint(type, 1); __type(key, int); __uint(key_size, 8); __type(value, int); } twice SEC(".maps");
struct { __uint(type, 2); __type(key, long); __type(value, int); __uint(max_entries, 1); } array SEC(".maps");
int number SEC(".maps");
struct { int a, b, c, d, e, f, g, h, i, j, k, l; } wide SEC(".maps");
struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } lost;
struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } good SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&lost, &key) != 0; }
END
opens_not "maps.bpf.c:5: warning: 'lost' is defined like a map, but is a variable in .bss
>>> put SEC(\".maps\") behind its name
maps.bpf.c:1: warning: libbpf refuses map 'twice', which has a key of 4 bytes and a key_size of 8
maps.bpf.c:2: warning: map 'array' of type array has a key of 8 bytes: the key is an index of 4 bytes
maps.bpf.c:3: warning: map 'number' is not a map: it is not a struct with the attributes of a map
maps.bpf.c:4: warning: map 'wide' has more members than there are attributes" maps.o

# Definitions that no kernel creates; what user space sets before the load is silent.
compile rules <<'END'
struct wide { char bytes[40000]; };
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); __type(value, long); } ring SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __type(key, long); __type(value, int); __uint(max_entries, 1); } trie SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_QUEUE); __type(key, int); __type(value, int); __uint(max_entries, 1); } queue SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __type(key, int); __type(value, struct wide); __uint(max_entries, 1); } cpus SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __type(value, int); __uint(max_entries, 1); } keyless SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_LRU_HASH); __type(key, int); __uint(max_entries, 1); } valueless SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_NO_PREALLOC); } flags SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); __type(key, int); __type(value, long); } events SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_TASK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int); __uint(max_entries, 9); } tasks SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_SK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __uint(key_size, 4); __uint(value_size, 4); } socks SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_STACK_TRACE); __type(key, int); __uint(value_size, 12); __uint(max_entries, 1); } stacks SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_SOCKMAP); __type(key, int); __uint(value_size, 16); __uint(max_entries, 1); } socket_map SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, int); __type(value, int); __uint(map_extra, 3); } extra SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); } open_events SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_STACK_TRACE); __uint(key_size, 4); } silent_stacks SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __type(key, int); __type(value, int); } silent_size SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); } silent_ring SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_HASH); __uint(key_size, 8); __uint(value_size, 32768); } silent_cpus SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_DEVMAP_HASH); __uint(key_size, 4); __uint(value_size, 8); } silent_devices SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH_OF_MAPS); __uint(key_size, 8); } open_maps SEC(".maps");
struct { __uint(type, 99); } silent_future SEC(".maps");
SEC("socket") int prog(void *ctx) { return 0; }
END
"$BPFLINK" rules.o -o out.o 2>errors
[[ $(grep warning errors) == "rules.bpf.c:2: warning: map 'ring' of type ringbuf has a value of 8 bytes: such maps have no values
rules.bpf.c:3: warning: map 'trie' of type lpm_trie lacks BPF_F_NO_PREALLOC
rules.bpf.c:4: warning: map 'queue' of type queue has a key of 4 bytes: such maps have no keys
rules.bpf.c:5: warning: map 'cpus' of type percpu_array has a value of 40000 bytes: it must have 1 to 32768
rules.bpf.c:6: warning: map 'keyless' of type hash has no key
rules.bpf.c:7: warning: map 'valueless' of type lru_hash has no value
rules.bpf.c:8: warning: map 'flags' of type array has BPF_F_NO_PREALLOC, which such maps do not take
rules.bpf.c:9: warning: map 'events' of type perf_event_array has a value of 8 bytes: it must have 4
rules.bpf.c:10: warning: map 'tasks' of type task_storage has 9 max_entries: such maps take none
rules.bpf.c:11: warning: map 'socks' of type sk_storage has no types of its key and value
rules.bpf.c:12: warning: map 'stacks' of type stack_trace has a value of 12 bytes: it must be a multiple of 8
rules.bpf.c:13: warning: map 'socket_map' of type sockmap has a value of 16 bytes: it must have 4 or 8
rules.bpf.c:14: warning: map 'extra' of type hash has map_extra, which such maps do not take
rules.bpf.c:15: warning: libbpf refuses map 'open_events', which has no key, which maps of type perf_event_array need and libbpf does not add
rules.bpf.c:21: warning: libbpf refuses map 'open_maps', which has no value, which maps of type hash_of_maps need and libbpf does not add" ]] || mistake "$(<errors)"
[[ $(grep -c '>>> __uint(map_flags, BPF_F_NO_PREALLOC);' errors) == 1 ]] || mistake "$(<errors)"

compile static_map <<'END'
static struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } table SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&table, &key) != 0; }
END
"$BPFLINK" static_map.o -o out.o 2>errors
[[ $(<errors) == 'static_map.bpf.c:1: warning: map '"'table'"' is static
>>> in static_map.bpf.c:1
>>> remove static; what other files share, they declare: extern struct {...} table SEC(".maps")' ]] || mistake "$(<errors)"
! "$BPFSKEL" static_map.o -o skeleton.h 2>errors || mistake 'a skeleton of a static map'

compile arena <<<'int __attribute__((address_space(1))) shared;
SEC("socket") int prog(void *ctx) { return shared; }'
opens_not "arena.bpf.c:1: warning: libbpf refuses variables in an arena, such as shared, without a map of one
>>> __uint(type, BPF_MAP_TYPE_ARENA)" arena.o
compile arenas <<'END'
struct { __uint(type, 33); __uint(map_flags, 1024); __uint(max_entries, 1); } one SEC(".maps"), other SEC(".maps");
END
opens_not "arenas.bpf.c:1: warning: libbpf refuses 2 arenas" arenas.o

# ---- externs
compile externs <<'END'
extern int variable __attribute__((weak));
extern int function(int x) __attribute__((weak));
extern struct { int a; } CONFIG_PAIR __kconfig;
extern int HZ __kconfig;
extern int CONFIG_HZ __kconfig, LINUX_ANY __kconfig __weak;
SEC("socket") int prog(void *ctx) {
  return (&variable ? variable : 0) + (function ? function(1) : 0) + CONFIG_PAIR.a + HZ + CONFIG_HZ + LINUX_ANY;
}
END
"$BPFLINK" externs.o -o out.o 2>errors
[[ $(grep warning: errors) == "externs.bpf.c:7:12: warning: weak variable 'variable' is not defined
externs.bpf.c:7:40: warning: weak function 'function' is not defined
externs.bpf.c:3: warning: 'CONFIG_PAIR' has a type that libbpf does not fill in
externs.bpf.c:4: warning: 'HZ' is neither an option of the kernel, CONFIG_*, nor one that libbpf knows" ]] ||
  mistake "$(<errors)"
for line in '>>> libbpf refuses undefined symbols, weak ones too' ">>> if it is the kernel's kfunc or variable, declare it with __ksym"; do
  [[ $(grep -cxF -- "$line" errors) == 2 ]] || mistake "$line: $(<errors)"
done

# ---- licenses
for n in 1 2 3 4 5; do
  compile gpl$n <<<"char LICENSE[] SEC(\"license\") = \"$([[ $n == [45] ]] && echo BSD || echo GPL)\";"
done
expect_message "bpflink: error: 'license' sections differ
>>> GPL in gpl1.o
>>> GPL in gpl2.o
>>> GPL in gpl3.o
>>> BSD in gpl4.o
>>> BSD in gpl5.o
>>> --license TEXT replaces both" "$BPFLINK" gpl{1,2,3,4,5}.o -o out.o
compile mit <<<'char LICENSE[] SEC("license") = "MIT";'
! "$BPFLINK" gpl1.o gpl4.o mit.o -o out.o 2>errors || mistake 'three licenses'
grep -qxF -- '>>> --license TEXT replaces all' errors || mistake "$(<errors)"
compile licence <<<'char LICENSE[] SEC("licence") = "GPL"; SEC("socket") int prog(void *ctx) { return 0; }'
warns "bpflink: warning: licence.o: loaders read the license from section 'license', not 'licence'
>>> char LICENSE[] SEC(\"license\") = \"GPL\";" licence.o
compile pointer <<<'const char *LICENSE SEC("license") = "GPL"; SEC("socket") int prog(void *ctx) { return 0; }'
"$BPFLINK" pointer.o -o out.o 2>errors
[[ $(<errors) == 'bpflink: warning: pointer.o: the license is a pointer, and no loader reads what it points to
>>> char LICENSE[] SEC("license") = "GPL";' ]] || mistake "$(<errors)"
compile kfuncs <<<'extern void bpf_rcu_read_lock(void) __ksym;
SEC("socket") int prog(void *ctx) { bpf_rcu_read_lock(); bpf_rcu_read_lock(); return 0; }'
warns 'kfuncs.bpf.c:2:37: warning: a program without a GPL license calls bpf_rcu_read_lock
>>> in kfuncs.bpf.c:2
>>> char LICENSE[] SEC("license") = "GPL"; or --license GPL' kfuncs.o
compile both <<<'extern void bpf_rcu_read_lock(void) __ksym;
SEC("socket") int prog(void *ctx) { bpf_rcu_read_lock(); bpf_printk("one"); bpf_printk("two"); return 0; }'
"$BPFLINK" both.o -o out.o 2>errors
grep -q '^both.bpf.c:2:58: warning: a program without a GPL license calls bpf_trace_printk (the first of 2)' errors || mistake "$(<errors)"
grep -q "^>>> also 'bpf_rcu_read_lock' in both.bpf.c:2" errors || mistake "$(<errors)"
[[ $(grep -c '^>>> in both' errors) == 1 ]] || mistake "the same call more than once: $(<errors)"

# ---- how it was compiled
compile user <<<'int helper(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }'
compile helper -g0 <<<'int helper(int x) { return x + 1; }'
warns "bpflink: warning: helper.o: has no BTF, and others call its 'helper'
>>> compile with -g" user.o helper.o
compile helper <<<'int helper(int x) { return x + 1; }'
llvm-objcopy-19 --remove-section=.BTF --remove-section=.rel.BTF --remove-section=.BTF.ext --remove-section=.rel.BTF.ext helper.o
warns "bpflink: warning: helper.o: has no BTF, and others call its 'helper'
>>> compile with -gbtf: gcc's -g makes DWARF alone" user.o helper.o
compile slow -O0 <<<'int twice(int x) { return 2 * x; } int thrice(int x) { return 3 * x; }'
warns 'bpflink: warning: slow.o: was compiled without optimization, and verifiers refuse most such code
>>> compile with -O2' slow.o
compile live <<<'SEC("tc") int live(void *ctx) { return 0; }'
"$BPFLINK" --gc-sections --fatal-warnings live.o slow.o -o out.o # nothing of slow.o is left
compile spills <<<'int spills(int x) { return bpf_map_lookup_elem(0, &x) != 0; }'
warns '' spills.o
for option in -g1 -gline-tables-only; do
  compile lines $option <<<'int lines(int x) { return x; }'
  "$BPFLINK" lines.o -o out.o 2>errors || true
  advice='compile with -g: -g1 and -gline-tables-only make functions without types'
  grep -q "^>>> $advice$" errors || mistake "$option: $(<errors)"
  "$BTFDEDUP" lines.o -o out.btf 2>errors || true
  grep -q ", but the last is [0-9]* ($advice)$" errors || mistake "$option: $(<errors)"
done
{
  echo 'struct task_struct {'
  for n in {1..20}; do echo "  long m$n;"; done
  echo '};'
  echo 'SEC("socket") int prog(struct task_struct *t) { long v; bpf_probe_read_kernel(&v, 8, &t->m3); return v; }'
  echo 'char LICENSE[] SEC("license") = "GPL";'
} >fixed.c
compile fixed <fixed.c
warns "bpflink: warning: fixed.o: reads the kernel's memory by the offsets of struct task_struct of one kernel
>>> include a vmlinux.h, whose structs have preserve_access_index, and read with BPF_CORE_READ()" fixed.o
compile core <<<'typedef struct { int x, y; } __attribute__((preserve_access_index)) *pair;
SEC("fentry/f") int prog(unsigned long long *ctx) { return ((pair)ctx)->y; }'
"$BPFLINK" core.o -o out.o 2>errors
for line in 'core.bpf.c:2:73: warning: core.o: a CO-RE relocation is of a type without a name' '>>> loaders find types in a kernel by name' \
  ">>> give the struct the kernel's name for it"; do
  grep -qF -- "$line" errors || mistake "$line: $(<errors)"
done
compile access <<<'struct pair { int x, y; } __attribute__((preserve_access_index));
SEC("fentry/f") int prog(struct pair *ctx) { return ctx->y; }'
sed 's/0:1\x00/0:9\x00/' access.o >bad.o
expect_message "access.bpf.c:2:58: error: bad.o: a CO-RE relocation has the access '0:9', which 'struct pair' lacks
    2 | SEC(\"fentry/f\") int prog(struct pair *ctx) { return ctx->y; }
      |                                                          ^
>>> the access in access.bpf.c:2" "$BPFLINK" bad.o -o out.o
"$BPFLINK" -r bad.o -o out.o || mistake 'a partial link of a bad access'
for access in '0:-' ':1:' '0::'; do # as long as 0:1
  sed "s/0:1\x00/$access\x00/" access.o >bad.o
  ! "$BPFLINK" bad.o -o out.o 2>errors || mistake "the access $access"
  grep -q 'a CO-RE relocation has the access' errors || mistake "the access $access: $(<errors)"
done

# ---- a helper that the headers did not know
cat >newer.c <<'END'
extern long get(void *ctx, unsigned long long *value) __asm__("bpf_get_func_ret");
__attribute__((section("fexit/f"))) int prog(void *ctx) { unsigned long long v = 0; get(ctx, &v); return v; }
END
"$CC" -g -O2 --target=bpf -c newer.c -o newer.o
! "$BPFLINK" newer.o -o out.o 2>errors || mistake 'an undefined helper'
grep -qxF '>>> a helper since Linux 5.17: the bpf_helper_defs.h that was included is older' errors || mistake "$(<errors)"

# ---- an object that is older than its header
echo 'struct key { int a; }; extern struct key last;' >key.h
compile first <<<'#include "key.h"
struct key last;'
compile second <<<'#include "key.h"
SEC("socket") int prog(void *ctx) { return last.a; }'
sleep 0.1
echo 'struct key { int a, b; }; extern struct key last;' >key.h
compile second <<<'#include "key.h"
SEC("socket") int prog(void *ctx) { return last.b; }'
! "$BPFLINK" first.o second.o -o out.o 2>errors || mistake 'a stale object'
grep -qxF '>>> compile first.o again: it is older than key.h' errors || mistake "$(<errors)"
