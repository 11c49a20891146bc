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
# ---- functions
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

# ---- maps
compile maps <<'END'
int number SEC(".maps");
struct { int a, b, c, d, e, f, g, h, i, j, k, l; } wide SEC(".maps");
struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } lost;
struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } good SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&lost, &key) != 0; }
END
warns "maps.bpf.c:3: warning: 'lost' is defined like a map, but is a variable in .bss
>>> put SEC(\".maps\") behind its name
maps.bpf.c:1: warning: map 'number' is not a map: it is not a struct with the attributes of a map
maps.bpf.c:2: warning: map 'wide' has more members than there are attributes" maps.o
! "$BPFSKEL" maps.o -o skeleton.h 2>errors || mistake 'a skeleton of what is no map'

compile static_map <<'END'
static struct { __uint(type, 1); __type(key, int); __type(value, int); __uint(max_entries, 1); } table SEC(".maps");
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&table, &key) != 0; }
END
"$BPFLINK" static_map.o -o out.o 2>errors
[[ $(<errors) == 'static_map.bpf.c:1: warning: map '"'table'"' is static
>>> in static_map.bpf.c:1
>>> remove static; what other files share, they declare: extern struct {...} table SEC(".maps")' ]] || mistake "$(<errors)"
! "$BPFSKEL" static_map.o -o skeleton.h 2>errors || mistake 'a skeleton of a static map'

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
for license in GPL BSD; do compile $license <<<"char LICENSE[] SEC(\"license\") = \"$license\";"; done
compile mit <<<'char LICENSE[] SEC("license") = "MIT";'
! "$BPFLINK" GPL.o BSD.o mit.o -o out.o 2>errors || mistake 'three licenses'
grep -qxF -- '>>> --license TEXT replaces all' errors || mistake "$(<errors)"
compile licence <<<'char LICENSE[] SEC("licence") = "GPL"; SEC("socket") int prog(void *ctx) { return 0; }'
warns "bpflink: warning: licence.o: loaders read the license from section 'license', not 'licence'
>>> char LICENSE[] SEC(\"license\") = \"GPL\";" licence.o
compile pointer <<<'const char *LICENSE SEC("license") = "GPL"; SEC("socket") int prog(void *ctx) { return 0; }'
"$BPFLINK" pointer.o -o out.o 2>errors
[[ $(<errors) == 'bpflink: warning: pointer.o: the license is a pointer, and no loader reads what it points to
>>> char LICENSE[] SEC("license") = "GPL";' ]] || mistake "$(<errors)"
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
