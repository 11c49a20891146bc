#!/bin/bash
# Inputs that are LLVM bitcode: joined, optimized as one program, and linked with objects.
. "$(dirname "$0")/common.sh"

find_llvm
[[ $library ]] || skip "no library of LLVM $version"

code() { llvm-objdump-19 -d --no-show-raw-insn --no-leading-addr "$@"; }
symbols() { llvm-nm-19 "$@"; }
# shows REGEX COMMAND...: what the command prints has such a line
shows() {
  "${@:2}" >shown
  grep -qE -- "$1" shown
}
# links ARGUMENT...: links into out.o, which is a good object and links again to the same bytes
links() {
  "$BPFLINK" --verify "$@" -o out.o || fail "bpflink $* exits with $?"
  python3 "$bpfobj" check out.o || fail 'out.o breaks the rules above'
  changes_nothing
}

# ---- across files

bitcode main <<'END'
int scale(int x);
int unused(int x);
char LICENSE[] SEC("license") = "GPL";
int total;
SEC("xdp") int prog(void *ctx) { return scale(20) + 2; }
SEC("tc") int kept(void *ctx) { return total; }
END
bitcode lib <<'END'
int calls;
int scale(int x) { ++calls; return 2 * x; }
int unused(int x) { return x - 1; }
__attribute__((used)) int wanted(int x) { return x + calls; }
END
links main.bc lib.bc
code -j xdp out.o >text
grep -q 'w0 = 0x2a' text || fail "not inlined: $(<text)"
! shows ' (scale|unused)$' symbols out.o || fail 'functions that are not called are left'
for name in prog kept calls total wanted; do
  shows " [A-Z] $name$" symbols out.o || fail "no $name: $(symbols out.o)"
done
cp out.o once.o
links main.bc lib.bc --threads 2
cmp once.o out.o || fail 'the output depends on the threads'

# Many files are joined in pairs: the first weak definition stays the one that is used.
numbers=()
for i in {1..7}; do
  bitcode "many_$i" <<END
__weak __attribute__((noinline)) int first(void) { return $i; }
static __attribute__((noinline)) int own(int x) { return x * $((2 * i + 11)); }
SEC("tc") int prog_$i(struct __sk_buff *ctx) { return own(ctx->len) + first(); }
END
  numbers+=("many_$i.bc")
done
links "${numbers[@]}"
for i in {1..7}; do shows " T prog_$i$" symbols out.o || fail "no prog_$i: $(<shown)"; done
shows 'w0 = 0x1$' code --disassemble-symbols=first out.o || fail "another definition is used: $(<shown)"
links --lto-internalize "${numbers[@]}"
code -j tc out.o >text
[[ $(grep -c 'w0 += 0x1$' text) == 7 ]] || fail "another definition is used: $(<text)"
for i in {1..7}; do
  shows "w0 \*= $(printf 0x%x $((2 * i + 11)))\$" code out.o || fail "prog_$i does not call its own: $(<shown)"
done

# Functions stay global where the source says so, and are checked once: those that LLVM does not inline.
# Hidden ones become static, as a loader makes them.
bitcode ways <<'END'
__attribute__((noinline)) int once(int x) { asm volatile("" : "+r"(x)); return x + 1; }
__weak int slot(int x) { return x; }
__hidden __attribute__((noinline)) int often(int x) { asm volatile("" : "+r"(x)); return x + 2; }
int kept_by_option(int x) { return x + 3; }
int gone(int x) { return once(x); }
END
bitcode way <<'END'
int once(int x), often(int x), slot(int x);
SEC("tc") int prog(struct __sk_buff *ctx) { return once(ctx->len) + once(ctx->mark) + often(ctx->len) + often(3) + slot(4); }
END
links -u kept_by_option ways.bc way.bc
symbols out.o >text
for want in 'T once' 'W slot' 't often' 'T kept_by_option'; do
  grep -q " $want\$" text || fail "not $want: $(<text)"
done
! grep -q ' gone$' text || fail "a function that nothing calls is left: $(<text)"
links --lto-internalize ways.bc way.bc
! shows ' [TW] (once|slot|often|kept_by_option)$' symbols out.o || fail "global: $(<shown)"

# Code that the backend cannot compile, and that nothing needs
llvm-as-19 -o atomic.bc <<'END'
target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
target triple = "bpfel"
define i64 @stop(ptr %p) #0 {
  %v = load atomic i64, ptr %p monotonic, align 8
  ret i64 %v
}
define double @half(double %x, i128 %y, i64 %a, i64 %b, i64 %c) #0 {
  %v = fmul double %x, 5.0e-1
  ret double %v
}
define i32 @twice(i32 %x) #0 {
  %v = shl i32 %x, 1
  ret i32 %v
}
attributes #0 = { "target-cpu"="v3" }
END
bitcode twice <<'END'
int twice(int x);
SEC("tc") int prog(struct __sk_buff *ctx) { return twice(21); }
END
llvm-ar-19 rc atomic.a atomic.bc
for input in atomic.bc atomic.a "--whole-archive atomic.a"; do
  # shellcheck disable=SC2086
  links twice.bc $input
  shows 'w0 = 0x2a' code -j tc out.o || fail "$input: $(<shown)"
done

# Functions that code generation calls: what the files define of them stays, if it is called.
for name in memset memcpy; do
  bitcode $name <<END
__hidden void *$name(char *to, unsigned long x, unsigned long n)
{
  for (unsigned long i = 0; i < n; ++i) { to[i] = x; asm volatile("" ::: "memory"); }
  return to;
}
END
done
bitcode large <<'END'
char buffer[4096];
SEC("tc") int prog(void *ctx) { __builtin_memset(buffer, 3, sizeof buffer); return buffer[9]; }
END
links large.bc memset.bc memcpy.bc
shows ' memset$' symbols out.o || fail "no memset: $(<shown)"
! shows ' memcpy$' symbols out.o || fail "memcpy is left"

# LLVM passes the members of a struct in place of a pointer to it: parameters that BTF does not have.
bitcode members <<'END'
struct info { int a, b; };
static __attribute__((noinline)) int five(int a, int b, int c, int d, const struct info *i)
{
  int sum = a * bpf_get_prandom_u32() + b + c + d;
  for (int n = 0; n < 8; n++) sum = sum * i->a + (bpf_get_prandom_u32() ^ i->b);
  return sum;
}
#define PROG(name, x) SEC("socket") int name(void *ctx) \
  { struct info i = {bpf_get_prandom_u32(), x}; return five(1, bpf_get_prandom_u32(), x, bpf_get_prandom_u32(), &i); }
PROG(first, 3)
PROG(second, bpf_get_prandom_u32())
struct three { long a, b, c; };
static __attribute__((noinline)) struct three hidden_result(long x) { return (struct three){x, x * bpf_get_prandom_u32(), x + 2}; }
SEC("tc") int third(struct __sk_buff *ctx) { return hidden_result(ctx->len).b + hidden_result(ctx->mark).c; }
END
links --save-temps members.bc
! shows 'r11' code out.o || fail "arguments on the stack: $(<shown)"
for step in lto lto.opt; do
  opt-19 -passes=verify -S out.o.$step.bc -o step.ll || fail 'no valid IR'
  ! grep -e target-features -e bpflink step.ll || fail "what keeps LLVM from it is left"
done

# Another name for a function, which other files call by it or have as well
bitcode named <<'END'
int real(int x) { return x + 1; }
int other_name(int x) __attribute__((alias("real")));
__weak int lost_name(int x) __attribute__((alias("real")));
END
bitcode names <<'END'
int other_name(int x);
int lost_name(int x) { return x + 30; }
SEC("syscall") int prog(void *ctx) { return other_name(5) * 10 + lost_name(1); }
END
links named.bc names.bc
shows 'w0 = 0x5b' code -j syscall out.o || fail "$(<shown)"

# Inline assembly calls functions of this file and of another one.
bitcode caller <<'END'
int here(int x) { return x + 2; }
#define CALL(f) ({ int r; asm volatile("r1 = 5; call " f "; %0 = r0" : "=r"(r)::"r0", "r1", "r2", "r3", "r4", "r5"); r; })
SEC("syscall") int prog(void *ctx) { return CALL("there") + CALL("here"); }
END
bitcode callee <<<'int there(int x) { return x + 1; }'
links caller.bc callee.bc
for name in here there; do shows " T $name$" symbols out.o || fail "no $name: $(<shown)"; done
bitcode label <<<'__asm__("ll: r0 = 0\nexit"); SEC("socket") int prog(void *ctx) { return 1; }'
"$BPFLINK" label.bc -o out.o || fail 'a label with a name that ends loads of addresses'

# ---- bitcode for the host, of which llc makes BPF

"$CC" -g -O2 --target=x86_64-linux-gnu -mavx -ffreestanding -emit-llvm -c -x c - -o host.bc <<'END'
struct context { int a; long b; } shared;
int scale(int x);
__attribute__((section("xdp"))) int prog(struct context *ctx) { shared.b += ctx->b; return scale(20) + 2; }
END
links --lto-target bpf host.bc lib.bc
shows 'w0 = 0x2a' code -j xdp out.o || shows 'r0 = 0x2a' code -j xdp out.o || fail "$(code out.o)"
shows 'shared' python3 "$bpfobj" declarations out.o || fail "no types: $(<shown)"
"$CC" -g -O2 --target=s390x-linux-gnu -emit-llvm -c -x c - -o host_big.bc <<<'__attribute__((section("xdp"))) int prog(void *ctx) { return 1; }'
"$BPFLINK" --lto-target bpf host_big.bc -o out.o
[[ $(od -An -tx1 -j5 -N1 out.o) == ' 02' ]] || fail 'bitcode of a big-endian host is not big-endian'

# ---- names: static ones have those that they have in objects

for i in {0..4}; do
  for form in '' -flto; do
    # shellcheck disable=SC2086 # none, or one
    compile "static_$i$form" $form <<END
static volatile int state = $i, table[4];
static struct { long a; int *b; } pair;
static __noinline int own(int x, int y) { return y ? x * $i + state : x; }
SEC("tc") int prog_$i(struct __sk_buff *ctx)
{
  static int inner;
  pair.a += ctx->len;
  return own(ctx->mark, 1) + own(ctx->len, ctx->hash) + inner++ + pair.a + table[ctx->len & 3]++;
}
END
  done
done
names() {
  symbols "$1" | sed -n 's/^[^ ]* [tbd] //p' | sort
  bpftool btf dump file "$1" | sed -nE "s/.* (VAR|FUNC) '([^']*)'.*linkage=(static)/\1 \2/p" | sort
}
links -q static_?-flto.o
names out.o >names
"$BPFLINK" -q static_?.o -o objects.o
diff names <(names objects.o) || fail 'names of static ones are not those of objects'
[[ $(grep -c '^state$' names) == 5 && $(grep -c 'VAR state' names) == 5 ]] || fail "$(<names)"

# ---- with objects, in any order; from archives

compile lib_object <lib.bpf.c
links main.bc lib_object.o
links lib_object.o main.bc
compile main_object <main.bpf.c
links main_object.o lib.bc
shows ' T scale$' symbols out.o || fail "an object needs scale: $(symbols out.o)"
llvm-ar-19 rc lib.a lib.bc
links main.bc lib.a
cmp once.o out.o || fail 'a member of an archive is another file'
"$BPFLINK" main_object.o lib.a -o out.o
shows ' T scale$' symbols out.o

# An object has a weak definition and uses the one of bitcode, which comes first.
bitcode first <<<'__weak __attribute__((noinline)) int shared(int x) { return x + 1; }
SEC("xdp") int first(void *ctx) { return shared(1); }'
compile second <<<'__weak __attribute__((noinline)) int shared(int x) { return x + 2; }
SEC("tc") int second(void *ctx) { return shared(1); }'
links first.bc second.o
shows 'w0 \+= 0x1$' code --disassemble-symbols=shared out.o || fail "$(code out.o)"
[[ $(symbols out.o | grep -c ' shared$') == 1 ]] || fail "$(symbols out.o)"
# And the other way round: no code of an overridden definition is left, nor inlined.
compile strong <<<'int shared(int x) { return x + 5; }'
links first.bc strong.o
code out.o >text
! grep -q 'w0 += 0x1$' text || fail "an overridden definition is left: $(<text)"
grep -q 'call' text || fail "an overridden definition was inlined: $(<text)"

# A license or version that several files have, under whatever name, is there once.
for name in one two; do
  bitcode "once_$name" <<END
static char license_$name[] SEC("license") = "GPL";
static unsigned version_$name SEC("version") = 5;
SEC("xdp") int prog_$name(void *ctx) { return 0; }
END
done
links once_one.bc once_two.bc
for want in 'license 4' 'version 4'; do
  shows "^ *[0-9]+ ${want% *} +0*${want#* } " llvm-objdump-19 -h out.o || fail "$(<shown)"
done

# A function that is there for the types of kernel functions, which inline assembly calls
bitcode root <<'END'
extern int bpf_some_kfunc(int) __ksym;
int types_of_kfuncs(void) { return bpf_some_kfunc(1); }
SEC("tc") __attribute__((naked)) int calls(void *ctx) { asm volatile("r1 = 1; call %[f]; exit" ::[f] "i"(bpf_some_kfunc)); }
char LICENSE[] SEC("license") = "GPL";
END
links root.bc
python3 "$bpfobj" declarations out.o >text
grep -q 'bpf_some_kfunc' text || fail "no type of a kernel function: $(<text)"

# ---- the same inputs, the same bytes: LLVM orders declarations of structs by addresses

python3 - >graph.h <<'END'
import random
random.seed(5)
print("".join(f"struct s{i};\n" for i in range(300)))
for i in range(300):
    members = "".join(f"struct s{random.randrange(300)} *p{k}; " for k in range(4))
    if i % 3 == 2: members += f"struct s{random.randrange(i)} m; "
    print(f"struct s{i} {{ int id; {members}}} __attribute__((preserve_access_index));")
END
for i in 0 1 2; do
  bitcode graph_$i <<END
#include "graph.h"
struct value_$i { struct s3$i *a; struct s1$i *b; struct s5$i *c; };
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4); __type(key, int); __type(value, struct value_$i); } map_$i SEC(".maps");
__weak int weak_$i(struct s100 *s) { return s->p$i->p1->id; }
static __noinline int own(struct s20$i *s) { return s->p1->p2->p3->id + $i; }
int f0(struct s77 *s), f1(struct s77 *s), f2(struct s77 *s);
__hidden int f$i(struct s77 *s) { return s->p$i->p0->id; }
SEC("kprobe") int prog_$i(void *ctx)
{
  int key = $i;
  struct value_$i *v = bpf_map_lookup_elem(&map_$i, &key);
  return v ? own((void *)v->a) + weak_$i((void *)v->b) + f$(((i + 1) % 3))((void *)v->c) : 0;
}
END
done
for _ in {1..30}; do
  "$BPFLINK" -q graph_?.bc -o out.o
  md5sum <out.o
done | sort -u >sums
[[ $(wc -l <sums) == 1 ]] || fail "$(wc -l <sums) outputs of one link"

# ---- options

"$BPFLINK" -r main.bc lib.bc -o out.o
shows ' T scale$' symbols out.o || fail "-r makes scale internal"
links -u scale main.bc lib.bc
shows ' T scale$' symbols out.o || fail "-u does not keep scale"
links --lto-O0 main.bc lib.bc
shows 'call' code out.o || fail "--lto-O0 inlines"
links --lto-O 3 --lto-cpu v1 main.bc lib.bc
bitcode v1 -mcpu=v1 <lib.bpf.c
links --lto-cpu v2 main.bc v1.bc
# What rustc passes
echo prog >exported
links --export-symbols exported --cpu v3 main.bc v1.bc -L . -O2 --debug
# Code without optimization still has its relocations.
bitcode core <<<'struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("raw_tp") int core(struct task_struct **ctx) { return (*ctx)->pid; }'
links --lto-O0 core.bc
llvm-objdump-19 -dr out.o >text
grep -B1 'CO-RE.*task_struct::pid' text | has 'r[0-9] + 0x0\|r[0-9] += 0x0' || fail "no relocation: $(<text)"
links --lto-library "$library" main.bc lib.bc
cmp once.o out.o || fail 'this library is not the one that is used by default'
links --prefix-symbols my_ main.bc lib.bc
shows ' T my_prog$' symbols out.o
links --prefix-symbols-of lib.bc=my_ lib.bc
shows ' T my_wanted$' symbols out.o
"$BPFLINK" --save-temps main.bc lib.bc -o temps.o
for name in temps.o.lto.bc temps.o.lto.opt.bc; do
  # They are of the newest libLLVM. If that is newer than the disassembler, they are not read.
  if ! llvm-dis-19 $name -o text 2>errors; then
    grep -oE "Producer: 'LLVM[0-9]+" errors | has -vx "Producer: 'LLVM19" || fail "$(<errors)"
    continue
  fi
  grep -q 'define.*@prog' text || fail "no code in $name"
done
cp lib.bc out.o.lto.bc
link_fails --save-temps main.bc out.o.lto.bc
cmp lib.bc out.o.lto.bc || fail 'an input was replaced'
"$BPFLINK" --lto-emit-asm main.bc lib.bc -o out.s
grep -q '^prog:' out.s || fail "$(head out.s)"

# With a cache, nothing is compiled twice. What is damaged, or may be of others, is made again.
cat >noting <<END
#!/bin/sh
: >$tmp/ran
exec $(dirname "$BPFLINK")/bpflink-lto
END
chmod 755 noting
# compiles yes|no ARGUMENT...: whether LLVM runs; the output is the one without a cache
compiles() {
  local ran=no
  rm -f ran
  "$BPFLINK" --threads 1 "${@:2}" -o uncached.o 2>uncached
  BPFLINK_LTO=$tmp/noting "$BPFLINK" --threads 1 --lto-cache kept/here "${@:2}" -o out.o 2>cached
  cmp uncached.o out.o || fail "another output of ${*:2}"
  sed s/uncached.o/out.o/ uncached | cmp - cached || fail "other messages of ${*:2}"
  [[ ! -e ran ]] || ran=yes
  [[ $ran == "$1" ]] || fail "compiles ${*:2}: $ran"
}
umask 022
compiles yes main.bc lib.bc
compiles no main.bc lib.bc
compiles no --Map map main.bc lib.bc
compiles yes --lto-O2 main.bc lib.bc
compiles yes lib.bc main.bc
compiles yes -u scale main.bc lib.bc
compiles yes host.bc lib.bc
compiles no host.bc lib.bc
mv lib.bc lib.before
bitcode lib <<<'int calls; int scale(int x) { ++calls; return 3 * x; }'
compiles yes main.bc lib.bc
mv lib.before lib.bc
compiles no main.bc lib.bc
touch -d '1 minute ago' noting # another bpflink-lto
compiles yes main.bc lib.bc
if [[ $library ]]; then
  cp "$(realpath "$library")" my.so.19
  compiles yes --lto-library my.so.19 main.bc lib.bc
  compiles no --lto-library my.so.19 main.bc lib.bc
  touch -d '1 minute ago' my.so.19
  compiles yes --lto-library my.so.19 main.bc lib.bc
fi
for damage in 'truncate -s -1' 'truncate -s 3' 'truncate -s 0' 'truncate -s 100' 'chmod o+w' 'sed -i $s/.$//' 'ln -sf /dev/zero'; do
  compiles no main.bc lib.bc
  for entry in kept/here/*; do $damage "$entry"; done
  compiles yes main.bc lib.bc
  [[ $damage != chmod* ]] || chmod o-w kept/here/*
done
rm -r kept
compiles yes main.bc lib.bc
compiles yes --lto-O2 main.bc lib.bc
# What is under the name of another result, by a copy or by another user's link, is not taken.
entries=(kept/here/*)
cp -r kept other
for i in "${!entries[@]}"; do cp "other/here/${entries[i - 1]##*/}" "${entries[i]}"; done
compiles yes main.bc lib.bc
if ((EUID == 0)); then
  for i in "${!entries[@]}"; do
    ln -sf "$tmp/other/here/${entries[i]##*/}" "${entries[i]}"
    chown -h 65534 "${entries[i]}"
  done
  compiles yes main.bc lib.bc
else
  echo 'skipped without root: links of another user in a cache'
fi
chmod o+w kept
compiles yes main.bc lib.bc
chmod o-w kept
rm -r kept/here/*
mkdir -m 500 kept/none
"$BPFLINK" --lto-cache kept/none main.bc lib.bc -o out.o || fail 'a cache that cannot be written to'

# The oldest entries go.
rm -r kept
compiles yes main.bc lib.bc
touch -d '1 minute ago' kept/here/*
ls kept/here >old
oldest=kept/here/$(printf '9%.0s' $(seq "$(head -n 1 old | tr -d '\n' | wc -c)"))
dd if=/dev/urandom bs=1M count=1 status=none of="$oldest"
touch -d '1 hour ago' "$oldest"
echo mine >kept/here/notes
compiles yes --lto-cache-size 1 --lto-O2 main.bc lib.bc
[[ ! -e $oldest ]] || fail 'an old entry stays beyond the size'
for name in $(<old) notes; do [[ -e kept/here/$name ]] || fail "$name is gone"; done
truncate -s 2M "kept/here/$(tr a-f 0 <old | head -n 1 | sed 's/./8/')"
chmod o+w kept
compiles yes --lto-cache-size 1 main.bc lib.bc
chmod o-w kept
[[ $(ls kept/here/8*) ]] || fail 'an entry of a directory that others can change is removed'

# Reports know the definitions of bitcode, also those that are gone.
"$BPFLINK" -y scale -y kept -y none --explain scale --Map map main.bc lib.bc -o out.o >text 2>&1
for want in 'main.bc: reference to scale' 'lib.bc: definition of scale' 'main.bc: definition of kept' \
  '-y none: no input has a symbol of this name' ' in the output  *no: LLVM has inlined it, or found that nothing needs it'; do
  [[ $(grep -c -e "$want" text) == 1 ]] || fail "not once $want: $(<text)"
done
grep -q 'lib.bc:(.text+0x[0-9a-f]*) scale: LLVM has inlined it' map || fail "$(<map)"

# ---- types

# Each file's own types are compared, as those of objects are.
bitcode conflict <<<'long calls;'
bitcode user <<<'extern int calls; SEC("xdp") int prog(void *ctx) { return calls; }'
refused 'conflicting types' user.bc conflict.bc

# Two files define a struct in their own ways, and take ids of two types: LLVM names the
# relocations alike.
bitcode one <<'END'
struct pair { int first; int second; } __attribute__((preserve_access_index));
struct only_one { int x; };
SEC("xdp") int one(struct pair *p) { return p->second; }
SEC("tc") int id_one(void *ctx) { return __builtin_btf_type_id(*(struct only_one *)0, 0); }
END
bitcode two <<'END'
struct pair { int other; int another; } __attribute__((preserve_access_index));
struct only_two { int x; };
SEC("xdp") int two(struct pair *p) { return p->another; }
SEC("tc") int id_two(void *ctx) { return __builtin_btf_type_id(*(struct only_two *)0, 0); }
END
links --no-warn-odr one.bc two.bc
llvm-objdump-19 -dr out.o >text
for want in 'pair::second' 'pair::another' 'struct only_one' 'struct only_two'; do
  grep -q "CO-RE.*$want" text || fail "no relocation to $want: $(grep CO-RE text)"
done

# LLVM describes an inner map whole only if it comes before the map that holds it.
cat >maps.h <<'END'
struct value { long a, b; };
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, int); __type(value, struct value); };
extern struct inner inner_map SEC(".maps");
struct outer { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 1); __type(key, int); __array(values, struct inner); };
END
bitcode outer <<'END'
#include "maps.h"
struct inner inner_map SEC(".maps");
struct outer outer_map SEC(".maps") = { .values = { &inner_map } };
END
bitcode inner <<'END'
#include "maps.h"
SEC("socket") int prog(void *ctx) { int k = 0; return bpf_map_lookup_elem(&inner_map, &k) ? 1 : 2; }
END
links outer.bc inner.bc
! shows "FWD 'value'" bpftool btf dump file out.o || fail 'the value of a map is not whole'

# What rustc writes: members that stand where they fit, in the order of the source; parameters without names.
compile disorder -flto -S -emit-llvm <<'END'
struct pair { int a; long b; } pair;
struct core_pair { int a; long b; } __attribute__((preserve_access_index));
SEC("tc") int core(struct core_pair *p) { return p->b; }
__attribute__((noinline)) int nameless(int, int x) { return x + pair.b; }
SEC("tc") int prog(struct __sk_buff *ctx) { return nameless(1, ctx->len) + nameless(2, ctx->mark); }
END
python3 - <<'END'
import re
text = open("disorder.o").read()
for elements in re.findall(r'name: "(?:core_)?pair".*elements: (!\d+)', text):
    text = re.sub(rf"^{elements} = !{{(!\d+), (!\d+)}}", rf"{elements} = !{{\2, \1}}", text, flags=re.M)
open("disorder.ll", "w").write(text)
END
llvm-as-19 disorder.ll -o disorder.bc
links -q --kernel-names disorder.bc
bpftool btf dump file out.o >text
grep -A2 "STRUCT 'pair'" text | has -z "'a'.*'b'" || fail "not sorted: $(<text)"
grep -A2 "STRUCT 'core_pair'" text | has -z "'b'.*'a'" || fail "an index in code means another member: $(<text)"
grep -q "'arg0'" text || fail "a parameter has no name: $(<text)"
# Without the option, what kernels refuse is said.
"$BPFLINK" disorder.bc -o out.o 2>text
for want in 'members come in order of offsets' 'the parameters of a FUNC have names'; do
  grep -q "^bpflink: warning: out.o: kernels reject this: .*$want" text || fail "no '$want': $(<text)"
done
[[ $(grep -c '^>>> --kernel-names does that$' text) == 3 ]] || fail "no hint: $(<text)"

# LLVM has no type for Rust's characters.
compile characters -flto -S -emit-llvm <<'END'
unsigned letters[3] = {97, 98, 99};
struct word { unsigned first; unsigned others[2]; } word = {97, {98, 99}};
int is_first(unsigned x) { return x == word.first; }
END
sed -E 's/"unsigned int", size: 32, encoding: DW_ATE_unsigned/"char", size: 32, encoding: DW_ATE_UTF/
  s/producer: "/&clang LLVM (rustc version 1.0) /' characters.o >characters.ll
llvm-as-19 characters.ll -o characters.bc
links -u is_first characters.bc
bpftool btf dump file out.o >text
id=$(sed -nE "s/\[([0-9]+)\] INT 'char' size=4 .*/\1/p" text)
for want in "ARRAY '(anon)' type_id=$id index_type_id=[0-9]+ nr_elems=3" "'first' type_id=$id" "'x' type_id=$id" \
  "ARRAY '(anon)' type_id=$id index_type_id=[0-9]+ nr_elems=2"; do
  grep -qE "${want/(anon)/.anon.}" text || fail "not $want: $(<text)"
done

# rustc describes no types of functions with debug = 1.
empty=$(sed -nE 's/^(![0-9]+) = !\{\}$/\1/p' characters.ll)
{
  sed -E "s/DISubroutineType\(types: ![0-9]+\)/DISubroutineType(types: ${empty:=!9999})/" characters.ll
  grep -q "^$empty = " characters.ll || echo "$empty = !{}"
} | llvm-as-19 - -o undescribed.bc
links -u is_first undescribed.bc
[[ $(bpftool btf dump file out.o) == *"FUNC 'is_first'"* ]] || fail 'no type of a function'

# Debug information may call a function otherwise than its symbol, as that of C++ and Rust does. Loaders take that,
# unless the name is one that no kernel accepts.
compile named -flto -S -emit-llvm <<'END'
char LICENSE[] SEC("license") = "GPL";
__attribute__((noinline)) int ext(int x) { return x * 3 + 1; }
SEC("socket") int prog(void *ctx) { return ext(2); }
END
sed 's/DISubprogram(name: "ext"/DISubprogram(name: "other"/' named.o | llvm-as-19 - -o named.bc
"$BPFLINK" --verify named.bc -o out.o 2>text || fail "refused: $(<text)"
[[ ! -s text && $(bpftool btf dump file out.o) == *"FUNC 'other'"* ]] || fail "not 'other': $(<text)"
run 'prog()=7'
sed 's/DISubprogram(name: "ext"/DISubprogram(name: "%xt"/' named.o | llvm-as-19 - -o named.bc
"$BPFLINK" --verify named.bc -o out.o 2>text || fail "refused: $(<text)"
[[ $(<text) == *"warning: kernels reject types with these names"*"FUNC '%xt'"* ]] || fail "not told: $(<text)"

# ---- forms of files

# LLVM's assembly, with and without what other programs put before it; also in archives
for name in main lib; do opt-19 -S $name.bc -o $name.ll; done
sed -i '/^; ModuleID/d; 1i\  ; a comment\n' lib.ll
llvm-ar-19 rc text.a lib.ll
for input in lib.ll text.a lib.bc; do
  links main.ll $input
  cmp once.o out.o || fail "text is another file: $input"
done
sed 's/^define.*@prog/broken &/' main.ll >broken.ll
! "$BPFLINK" broken.ll -o out.o 2>text || fail 'broken text links'
grep -qE '^broken.ll:[0-9]+:[0-9]+: error: broken.ll: expected top-level entity' text || fail "$(<text)"

# The wrapper header: a magic, a version, the offset and size of the bitcode, and a machine
python3 - <<'END'
import struct
bitcode = open("main.bc", "rb").read()
open("wrapped.bc", "wb").write(struct.pack("<5I", 0x0B17C0DE, 0, 20, len(bitcode), 0) + bitcode)
END
links wrapped.bc lib.bc
bitcode thin -flto=thin <main.bpf.c
links thin.bc lib.bc
if "$CC" --target=bpf -g -O2 -flto -ffat-lto-objects -mcpu=v3 -include linux/bpf.h -include bpf/bpf_helpers.h \
  -I"/usr/include/$(uname -m)-linux-gnu" -c main.bpf.c -o fat.o 2>/dev/null; then
  links fat.o lib_object.o
  shows call code -j xdp out.o || fail 'the bitcode of an object was used'
  links --fat-lto fat.o lib.bc
  shows 'w0 = 0x2a' code -j xdp out.o || fail 'the bitcode of an object was not used'
fi
