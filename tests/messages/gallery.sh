#!/bin/bash
# The most common mistakes and their messages. Read it from top to bottom when you change a message:
# from the text alone, a user must know what is wrong, where, and what to do.
. "$(dirname "$0")/common.sh"

ordinal=0
silent=0 # messages without advice

# shows ADVICE COMMAND... <<MESSAGE: the mistake in the comment above gets exactly this message. ADVICE
# is the part that says what to do, "" if there is none. If the message is a warning, the link must
# succeed.
shows() {
  local advice=$1 want status=0 wanted_status=1
  shift
  want=$(</dev/stdin)
  ordinal=$((ordinal + 1))
  [[ $advice ]] || silent=$((silent + 1))
  rm -f out.o
  "$@" >stdout 2>errors || status=$?
  sed -i "s|$tmp/||g" errors
  [[ $want != *': warning: '* ]] || wanted_status=0
  [[ $status == "$wanted_status" ]] || mistake "$ordinal: $*: exit status $status"
  [[ $(<errors) == "$want" ]] ||
    mistake "$ordinal: $*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$(<errors)"
  [[ $want == *"$advice"* ]] || mistake "$ordinal: the message does not say '$advice'"
  [[ $status == 0 || ! -e out.o ]] || mistake "$ordinal: $*: leaves an output"
}

bpflink() { "$BPFLINK" "$@"; }
btfdedup() { "$BTFDEDUP" "$@"; }

# ---- a program of two files, and a library

compile maps <<'END'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 256);
         __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
__u64 total;
char LICENSE[] SEC("license") = "GPL";
END
compile main <<'END'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 256);
                __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
extern __u64 total;
SEC("xdp") int count(struct xdp_md *ctx) {
  __u32 key = ctx->rx_queue_index;
  __u64 *value = bpf_map_lookup_elem(&packets, &key);
  if (value) __sync_fetch_and_add(value, 1);
  __sync_fetch_and_add(&total, 1);
  return XDP_PASS;
}
END
compile helper <<'END'
int helper(int x) { return 3 * x; }
END
mkdir lib
llvm-ar-19 rc lib/libhelper.a helper.o
compile caller <<'END'
int helper(int x);
SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len); }
END
compile good <<'END'
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }
END

# ---- the command line

# Missing -o
shows 'no output is given with -o' bpflink main.o maps.o <<'END'
bpflink: error: no output is given with -o: what bpftool takes as 'gen object OUTPUT INPUT...' is 'bpflink INPUT... -o OUTPUT' (see bpflink --help)
END

# The order of `bpftool gen object`
shows 'no output is given with -o' bpflink prog.o main.o maps.o <<'END'
bpflink: error: no output is given with -o: what bpftool takes as 'gen object OUTPUT INPUT...' is 'bpflink INPUT... -o OUTPUT' (see bpflink --help)
END

# The output is one of the inputs
shows 'name another file' bpflink main.o maps.o -o maps.o <<'END'
bpflink: error: -o 'maps.o' would replace the input 'maps.o': name another file
END

# --Map without its file name takes an object as the file.
shows 'delete it first' bpflink --Map maps.o main.o -o out.o <<'END'
bpflink: error: --Map 'maps.o' would replace an object file or archive: delete it first
END

# A misspelled option
shows 'did you mean' bpflink main.o maps.o --gc-section -o out.o <<'END'
bpflink: error: unknown option: --gc-section; did you mean --gc-sections? (see bpflink --help)
END

# A compiler's option
shows 'is the compiler'\''s: bpflink links what' bpflink -Wall main.o maps.o -o out.o <<'END'
bpflink: error: -Wall: is the compiler's: bpflink links what `clang -target bpf -g -O2 -c` makes (see bpflink --help)
END

# A missing output folder
shows 'there is no directory' bpflink main.o maps.o -o build/out.o <<'END'
bpflink: error: build/out.o: cannot open output file: there is no directory 'build'
END

# ---- wrong files

# The source instead of the object
shows 'compile it first' bpflink main.bpf.c maps.o -o out.o <<'END'
bpflink: error: main.bpf.c: is not a BPF object but: text file (compile it first)
END

# Compiled without --target=bpf
"$CC" -g -O2 --target=x86_64-linux-gnu -c helper.bpf.c -o host.o
shows 'compile with --target=bpf' bpflink good.o host.o -o out.o <<'END'
bpflink: error: host.o: is not a BPF object but: x86-64 object (compile with --target=bpf)
END

# Compiled for the other byte order
compile big --target=bpfeb <<<'int helper(int x) { return x; }'
shows 'compile all for one --target' bpflink caller.o big.o -o out.o <<'END'
bpflink: error: big.o: is big-endian, but caller.o is little-endian (compile all for one --target)
END

# A missing file
shows 'did you mean' bpflink main.o map.o -o out.o <<'END'
bpflink: error: map.o: cannot open: No such file or directory; did you mean maps.o?
END

# An empty file from an interrupted compiler
: >empty.o
shows 'compile it again' bpflink main.o empty.o -o out.o <<'END'
bpflink: error: empty.o: is not a BPF object but: empty file (compile it again)
END

# A folder instead of the files in it
mkdir objects
shows 'give the objects in it' bpflink objects -o out.o <<'END'
bpflink: error: objects: is a directory: give the objects in it
END

# A library of the machine's own objects
llvm-ar-19 rc lib/libhost.a host.o
shows 'compile its members with clang' bpflink caller.o -L lib -lhost -o out.o <<'END'
bpflink: error: lib/libhost.a: is an archive without BPF objects: compile its members with clang --target=bpf
END

# ---- code and types that a loader would refuse

# Compiled without -g
compile plain -g0 <<<'SEC("xdp") int plain(struct xdp_md *ctx) { return ctx->data; }'
shows 'compile with -g' bpflink plain.o -o out.o <<'END'
bpflink: warning: no input has BTF
>>> compile with -g
END

# The file with the maps compiled without -g
compile untyped -g0 <maps.bpf.c
shows 'compile with -g' bpflink main.o untyped.o -o out.o <<'END'
bpflink: warning: untyped.o: defines maps but has no BTF to describe them
>>> compile with -g
END

# Maps in the style before libbpf 1.0
compile legacy <<'END'
struct bpf_map_def { unsigned type, key_size, value_size, max_entries; };
struct bpf_map_def counts SEC("maps") = {2, 4, 4, 1};
END
shows 'define them in' bpflink good.o legacy.o -o out.o <<'END'
bpflink: warning: legacy.o: libbpf 1.0 and later refuse maps in SEC("maps")
>>> define them in SEC(".maps")
END

# A file whose content is all between #if and #endif
compile nothing -g0 <<<$'#if 0\nint x;\n#endif'
shows 'did an #if exclude' bpflink good.o nothing.o -o out.o <<'END'
bpflink: warning: nothing.o: has nothing to link
>>> did an #if exclude the whole source file?
END

# A missing license
compile prints <<'END'
SEC("socket") int prints(struct __sk_buff *ctx) {
  static const char text[] = "x";
  return bpf_trace_printk(text, sizeof text);
}
END
shows 'without a GPL license' bpflink prints.o -o out.o <<'END'
prints.bpf.c:3:10: warning: a program without a GPL license calls bpf_trace_printk
    3 |   return bpf_trace_printk(text, sizeof text);
      |          ^
>>> in prints.bpf.c:3
>>> char LICENSE[] SEC("license") = "GPL"; or --license GPL
END

# Two licenses
compile mit <<<'char LICENSE[] SEC("license") __weak = "Dual MIT/GPL";'
shows '--license TEXT replaces' bpflink main.o maps.o mit.o -o out.o <<'END'
bpflink: error: 'license' sections differ
>>> GPL in maps.o
>>> Dual MIT/GPL in mit.o
>>> --license TEXT replaces both
END

# ---- undefined symbols

# A missing input
shows '-r leaves it' bpflink main.o -o out.o <<'END'
main.bpf.c:6:39: error: undefined symbol: packets
    6 |   __u64 *value = bpf_map_lookup_elem(&packets, &key);
      |                                       ^
>>> referenced by main.bpf.c:6
>>>               main.o:(xdp+0x20)
>>> -r leaves it to a later link
main.bpf.c:8:25: error: undefined symbol: total
    8 |   __sync_fetch_and_add(&total, 1);
      |                         ^
>>> referenced by main.bpf.c:8
>>>               main.o:(xdp+0x58)
END

# A misspelled function name
compile misspelled <<'END'
int helpr(int x);
SEC("socket") int calls(struct __sk_buff *ctx) { return helpr(ctx->len); }
END
shows 'did you mean' bpflink misspelled.o helper.o -o out.o <<'END'
misspelled.bpf.c:2:57: error: undefined symbol: helpr
    2 | SEC("socket") int calls(struct __sk_buff *ctx) { return helpr(ctx->len); }
      |                                                         ^
>>> referenced by misspelled.bpf.c:2
>>>               misspelled.o:(socket+0x8)
>>> did you mean: helper
>>> defined in: helper.o
>>> -r leaves it to a later link
END

# static in the other file
compile hides <<'END'
static __attribute__((noinline, used)) int helper(int x) { return 3 * x; }
END
shows 'make it global' bpflink caller.o hides.o -o out.o <<'END'
caller.bpf.c:2:57: error: undefined symbol: helper
    2 | SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len); }
      |                                                         ^
>>> referenced by caller.bpf.c:2
>>>               caller.o:(socket+0x8)
>>> it is static in hides.o: make it global
>>> -r leaves it to a later link
END

# -L without -l
shows 'link with -l' bpflink caller.o -L lib -o out.o <<'END'
caller.bpf.c:2:57: error: undefined symbol: helper
    2 | SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len); }
      |                                                         ^
>>> referenced by caller.bpf.c:2
>>>               caller.o:(socket+0x8)
>>> lib/libhelper.a defines it: link with -lhelper
>>> -r leaves it to a later link
END

# -l without -L
shows 'given with -L' bpflink caller.o -lhelper -o out.o <<'END'
bpflink: error: -lhelper: no directory to look in is given with -L
END

# A kernel function without __ksym
compile kernel <<'END'
void bpf_rcu_read_lock(void);
SEC("socket") int locks(struct __sk_buff *ctx) { bpf_rcu_read_lock(); return 0; }
END
shows 'declare it with __ksym' bpflink kernel.o -o out.o <<'END'
kernel.bpf.c:2:50: error: undefined symbol: bpf_rcu_read_lock
    2 | SEC("socket") int locks(struct __sk_buff *ctx) { bpf_rcu_read_lock(); return 0; }
      |                                                  ^
>>> referenced by kernel.bpf.c:2
>>>               kernel.o:(socket+0x0)
>>> if it is the kernel's kfunc or variable, declare it with __ksym
>>> -r leaves it to a later link
END

# A CONFIG_ variable without __kconfig
compile config <<'END'
extern int CONFIG_HZ;
SEC("socket") int ticks(struct __sk_buff *ctx) { return CONFIG_HZ; }
END
shows 'declare it with __kconfig' bpflink config.o -o out.o <<'END'
config.bpf.c:2:57: error: undefined symbol: CONFIG_HZ
    2 | SEC("socket") int ticks(struct __sk_buff *ctx) { return CONFIG_HZ; }
      |                                                         ^
>>> referenced by config.bpf.c:2
>>>               config.o:(socket+0x0)
>>> the loader provides it: declare it with __kconfig
>>> -r leaves it to a later link
END

# ---- duplicate definitions

# A function and a variable in a header that two files include
cat >shared.h <<'END'
int twice(int x) { return 2 * x; }
int counter;
END
for n in 1 2; do
  compile user$n <<END
#include "$tmp/shared.h"
SEC("socket") int user$n(struct __sk_buff *ctx) { return twice(counter); }
END
done
shows 'make it static inline' bpflink user1.o user2.o -o out.o <<'END'
shared.h:1:5: error: duplicate symbol: twice
    1 | int twice(int x) { return 2 * x; }
      |     ^
>>> defined at shared.h:1
>>>            user1.o:(.text+0x0)
>>> defined at shared.h:1
>>>            user2.o:(.text+0x0)
>>> shared.h defines it in each: make it static inline there, or only declare it
shared.h:2: error: duplicate symbol: counter
>>> defined at shared.h:2
>>>            user1.o:(.bss+0x0)
>>> defined at shared.h:2
>>>            user2.o:(.bss+0x0)
>>> if a header defines it, only declare it there (extern), and define it in one file
END

# A map in a header that two files include
compile again <<<"#include \"$tmp/maps.bpf.c\""
shows 'omit one of them' bpflink maps.o again.o -o out.o <<'END'
maps.bpf.c:2: error: duplicate symbol: packets
>>> defined at maps.bpf.c:2
>>>            maps.o:(.maps+0x0)
>>> defined at maps.bpf.c:2
>>>            again.o:(.maps+0x0)
>>> both objects have maps.bpf.c: omit one of them
maps.bpf.c:3: error: duplicate symbol: total
>>> defined at maps.bpf.c:3
>>>            maps.o:(.bss+0x0)
>>> defined at maps.bpf.c:3
>>>            again.o:(.bss+0x0)
>>> both objects have maps.bpf.c: omit one of them
END

# A file given twice
shows 'give it once' bpflink good.o good.o -o out.o <<'END'
good.bpf.c:1:19: error: duplicate symbol: prog
    1 | SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }
      |                   ^
>>> defined at good.bpf.c:1
>>>            good.o:(socket+0x0)
>>> defined at good.bpf.c:1
>>>            good.o:(socket+0x0)
>>> good.o is given twice: give it once
END

# -o *.o, which a shell expands to -o caller.o helper.o maps.o
shows 'name another file' bpflink -o caller.o helper.o maps.o <<'END'
bpflink: error: -o 'caller.o' would replace the compiled object of 'caller.bpf.c', which is unrelated to the inputs: name another file, or delete it first
END

# A function that C++ code defines
cp helper.bpf.c helper.cpp
clang++-19 --target=bpf -O2 -c helper.cpp -o mangled.o
shows 'declare it extern "C"' bpflink caller.o mangled.o -o out.o <<'END'
caller.bpf.c:2:57: error: undefined symbol: helper
    2 | SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len); }
      |                                                         ^
>>> referenced by caller.bpf.c:2
>>>               caller.o:(socket+0x8)
>>> mangled.o defines it as C++: helper(int)
>>> if C uses it, declare it extern "C" in C++
>>> -r leaves it to a later link
END

# A library of an older helper.o
compile helper <<<'int help(int x) { return 3 * x; }'
llvm-ar-19 rc old.a helper.o
compile helper <<<'int helper(int x) { return 3 * x; }'
shows 'rebuild the archive' bpflink caller.o old.a -o out.o <<'END'
caller.bpf.c:2:57: error: undefined symbol: helper
    2 | SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len); }
      |                                                         ^
>>> referenced by caller.bpf.c:2
>>>               caller.o:(socket+0x8)
>>> helper.o defines it, but old.a(helper.o) is another version: rebuild the archive
>>> -r leaves it to a later link
END

# ---- types that conflict

# A variable declared with the wrong type
compile wrong <<'END'
extern __u32 total;
SEC("socket") int reads(struct __sk_buff *ctx) { return total; }
END
shows 'declare it once' bpflink wrong.o maps.o -o out.o <<'END'
maps.bpf.c:3: error: conflicting types of 'total'
>>> __u64 total
>>>     defined in maps.bpf.c:3 (maps.o)
>>> extern __u32 total
>>>     declared in wrong.bpf.c:1 (wrong.o)
>>> they differ at total
>>>     maps.o: unsigned long long, 8 bytes
>>>     wrong.o: unsigned int, 4 bytes
>>> declare it once, in a header that all include
END

# A function declared with the wrong prototype
compile prototype <<'END'
int helper(int x, int y);
SEC("socket") int calls(struct __sk_buff *ctx) { return helper(ctx->len, 1); }
END
shows 'declare it once' bpflink prototype.o helper.o -o out.o <<'END'
helper.bpf.c:1:5: error: conflicting types of 'helper'
    1 | int helper(int x) { return 3 * x; }
      |     ^
>>> int helper(int x)
>>>     defined in helper.bpf.c:1 (helper.o)
>>> extern int helper(int, int)
>>>     declared in prototype.bpf.c:1 (prototype.o)
>>> declare it once, in a header that all include
END

# Files compiled with different versions of a header
compile old <<'END'
struct event { __u32 pid; __u64 time; };
struct event last;
END
compile new <<'END'
struct event { __u32 pid; __u32 cpu; __u64 time; };
extern struct event last;
SEC("socket") int reads(struct __sk_buff *ctx) { return last.cpu; }
END
shows 'declare it once' bpflink new.o old.o -o out.o <<'END'
old.bpf.c:2: error: conflicting types of 'last'
>>> struct event last
>>>     defined in old.bpf.c:2 (old.o)
>>> extern struct event last
>>>     declared in new.bpf.c:2 (new.o)
>>> they differ at last.cpu
>>>     old.o: __u64, named 'time', at byte 8
>>>     new.o: __u32, at byte 4
>>> declare it once, in a header that all include
END

# A map changed in one file
sed 's/max_entries, 256/max_entries, 1024/' main.bpf.c >larger.c
compile larger <larger.c
shows 'declare it once' bpflink larger.o maps.o -o out.o <<'END'
maps.bpf.c:2: error: conflicting types of 'packets'
>>> struct {
>>> 	int (*type)[2];
>>> 	int (*max_entries)[256];
>>> 	__u32 *key;
>>> 	__u64 *value;
>>> } packets
>>>     defined in maps.bpf.c:2 (maps.o)
>>> extern struct {
>>> 	int (*type)[2];
>>> 	int (*max_entries)[1024];
>>> 	__u32 *key;
>>> 	__u64 *value;
>>> } packets
>>>     declared in larger.bpf.c:2 (larger.o)
>>> they differ at packets.max_entries
>>>     maps.o: int (*)[256], value 256
>>>     larger.o: int (*)[1024], value 1024
>>> declare it once, in a header that all include
END

# ---- mistakes that a loader would report worse, or not at all

compile first <<'END'
#include <linux/pkt_cls.h>
extern int rate;
SEC("xdp") int first(struct xdp_md *ctx) { rate++; return XDP_PASS; }
char LICENSE[] SEC("license") = "GPL";
END

# A static map in a header
for name in one two; do
  compile "$name" <<END
static struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
                __type(key, __u32); __type(value, __u64); } flows SEC(".maps");
SEC("xdp") int $name(struct xdp_md *ctx)
{
  __u32 key = 0;
  return bpf_map_lookup_elem(&flows, &key) ? XDP_PASS : XDP_DROP;
}
END
done
shows 'remove static' bpflink one.o two.o -o out.o <<'END'
one.bpf.c:2: warning: map 'flows' is static (the first of 2)
>>> in one.bpf.c:2
>>> remove static; what other files share, they declare: extern struct {...} flows SEC(".maps")
>>> also in two.bpf.c:2
END

# A program without SEC()
compile ingress <<'END'
int ingress(struct xdp_md *ctx) { return ctx->data_end > ctx->data ? XDP_PASS : XDP_DROP; }
END
shows 'SEC("xdp")' bpflink ingress.o -o out.o <<'END'
ingress.bpf.c:1:5: warning: 'ingress' is in .text: is SEC(...) missing?
    1 | int ingress(struct xdp_md *ctx) { return ctx->data_end > ctx->data ? XDP_PASS : XDP_DROP; }
      |     ^
>>> int ingress(struct xdp_md *ctx)
>>>     defined in ingress.bpf.c:1 (ingress.o)
>>> nothing calls it, so loaders skip it
>>> if it is a program: SEC("xdp")
END

# A table of strings
compile names <<'END'
const char *names[] = {"pass", "drop"};
SEC("xdp") int names_of(struct xdp_md *ctx) { return *names[ctx->rx_queue_index & 1] == 'p' ? XDP_PASS : XDP_DROP; }
END
shows 'char names[][8]' bpflink names.o -o out.o <<'END'
names.bpf.c:1: error: a program reads a pointer in 'names'
>>>     defined in names.bpf.c:1 (names.o)
>>> referenced by names.bpf.c:2
>>>               names.o:(xdp+0x18)
>>> no loader fills in the address of what it points to: programs would read 0
>>> for strings, use an array of arrays, char names[][8]; for others, an index
>>> --no-check-pointers links it, for user space that sets it
END

# A map without SEC(".maps") in its definition
compile uses_table <<'END'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
                __type(key, __u32); __type(value, __u64); } table SEC(".maps");
SEC("xdp") int uses_table(struct xdp_md *ctx)
{
  __u32 key = 0;
  return bpf_map_lookup_elem(&table, &key) ? XDP_PASS : XDP_DROP;
}
END
compile table <<'END'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
         __type(key, __u32); __type(value, __u64); } table;
END
shows 'SEC(".maps") wherever' bpflink uses_table.o table.o -o out.o <<'END'
table.bpf.c:2: error: 'table' is declared with SEC(".maps") but defined without it
>>>     defined in table.bpf.c:2 (table.o)
>>>     declared in uses_table.bpf.c:2 (uses_table.o)
>>> a map has SEC(".maps") wherever it is declared
END

# A program writes to a constant that user space sets
compile rate <<'END'
const volatile int rate = 10;
END
shows 'in a header' bpflink first.o rate.o -o out.o <<'END'
first.bpf.c:3:48: error: 'rate' is defined const but written to
    3 | SEC("xdp") int first(struct xdp_md *ctx) { rate++; return XDP_PASS; }
      |                                                ^
>>> written to in first.bpf.c:3
>>> volatile const int rate
>>>     defined in rate.bpf.c:1 (rate.o)
>>> extern int rate
>>>     declared in first.bpf.c:2 (first.o)
>>> declare it once, in a header that all include
END

# __weak on a prototype without a definition
compile weak <<'END'
extern int log_event(int code) __weak;
SEC("xdp") int weak(struct xdp_md *ctx) { return log_event(4); }
END
shows 'declare it with __ksym' bpflink weak.o -o out.o <<'END'
weak.bpf.c:2:50: warning: weak function 'log_event' is not defined
    2 | SEC("xdp") int weak(struct xdp_md *ctx) { return log_event(4); }
      |                                                  ^
>>> referenced by weak.bpf.c:2
>>>               weak.o:(xdp+0x8)
>>> libbpf refuses undefined symbols, weak ones too
>>> if it is the kernel's kfunc or variable, declare it with __ksym
END

# __kptr in one file only
for name in tagged untagged; do
  compile "$name" "-DNAME=use_$name" "-DEXTERN=$([[ $name == tagged ]] || echo extern)" \
    "-DTAG=$([[ $name == untagged ]] || echo '__attribute__((btf_type_tag("kptr")))')" <<'END'
struct task_struct;
struct slot { struct task_struct TAG *task; };
EXTERN struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1);
                __type(key, __u32); __type(value, struct slot); } slots SEC(".maps");
SEC("socket") int NAME(void *ctx)
{
  __u32 key = 0;
  return bpf_map_lookup_elem(&slots, &key) ? 1 : 0;
}
END
done
shows 'in a header' bpflink tagged.o untagged.o -o out.o <<'END'
tagged.bpf.c:4: warning: conflicting types of 'slots'
>>> struct {
>>> 	int (*type)[2];
>>> 	int (*max_entries)[1];
>>> 	__u32 *key;
>>> 	struct slot *value;
>>> } slots
>>>     defined in tagged.bpf.c:4 (tagged.o)
>>> extern struct {
>>> 	int (*type)[2];
>>> 	int (*max_entries)[1];
>>> 	__u32 *key;
>>> 	struct slot *value;
>>> } slots
>>>     declared in untagged.bpf.c:4 (untagged.o)
>>> they differ at slots.value->task
>>>     tagged.o: __attribute__((btf_type_tag("kptr"))) struct task_struct *, tagged 'kptr'
>>>     untagged.o: struct task_struct *, without a type tag
>>> declare it once, in a header that all include
END

# A struct with a tag in one file only
compile walk <<'END'
struct node { int value; struct node __attribute__((btf_type_tag("arena"))) *next; };
int walk(struct node *list) { return list->value; }
END
compile walks <<'END'
struct node { int value; struct node *next; };
extern int walk(struct node *list);
SEC("socket") int walks(void *ctx) { struct node list = {}; return walk(&list); }
END
shows 'in a header' bpflink walks.o walk.o -o out.o <<'END'
walk.bpf.c:2:5: warning: 'struct node' has different type tags, in walk.o and walks.o
    2 | int walk(struct node *list) { return list->value; }
      |     ^
>>> struct node {
>>> 	int value;
>>> 	__attribute__((btf_type_tag("arena"))) struct node *next;  <-- tagged 'arena'
>>> };
>>>     in walk.o
>>> struct node {
>>> 	int value;
>>> 	struct node *next;  <-- without a type tag
>>> };
>>>     in walks.o
>>> they differ at next
>>>     walk.o: __attribute__((btf_type_tag("arena"))) struct node *, tagged 'arena'
>>>     walks.o: struct node *, without a type tag
>>> both are reached through walk (parameter 1)
>>>     defined in walk.bpf.c:2 (walk.o)
>>>     declared in walks.bpf.c:2 (walks.o)
>>> define it once, in a header that all include
END

# ---- btfdedup

# Missing -o
shows 'give -o FILE' btfdedup main.o maps.o <<'END'
btfdedup: error: nothing to do: give -o FILE, --update FILE, --dump, --explain, --size-map, --print-sizes or --stats (see btfdedup --help)
END

# The output is the input
shows 'or use --update' btfdedup main.o -o main.o <<'END'
btfdedup: error: -o 'main.o' would replace the input 'main.o': name another file, or use --update
END

# Compiled without -g
shows 'compile with -g' btfdedup plain.o -o out.o <<'END'
btfdedup: error: plain.o: has no section .BTF: compile with -g, with gcc -gbtf
END

# A module without its kernel
blob kernel.btf 'add(INT, "int", 4, 32)'
blob module.btf "split('kernel.btf'); add(STRUCT, 'module', 8); add(PTR, '', 2)"
shows 'needs --base' btfdedup module.btf -o out.o <<'END'
btfdedup: error: module.btf: string section does not begin with NUL (is it split BTF, which needs --base?)
END

# A misspelled type name
shows 'did you mean' btfdedup old.o new.o --explain 'struct evnt' <<'END'
btfdedup: error: no input has a type 'struct evnt', did you mean 'struct event'?
END

((silent == 0)) || mistake "$silent messages do not say what to do"
