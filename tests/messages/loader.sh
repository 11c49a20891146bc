#!/bin/bash
# Programs that a loader or the kernel would refuse: messages that are not in gallery.sh, and similar
# programs without a message. With -r, which expects another link, none of them is an error.
. "$(dirname "$0")/common.sh"

# silent ARGUMENT...: the link prints nothing
silent() {
  "$BPFLINK" "$@" -o out.o 2>errors || mistake "$*: fails: $(<errors)"
  [[ ! -s errors ]] || mistake "$*: $(<errors)"
}
# tells TEXT ARGUMENT...: the link succeeds with one warning, which contains TEXT
tells() {
  local text=$1
  shift
  "$BPFLINK" "$@" -o out.o 2>errors || mistake "$*: fails: $(<errors)"
  [[ $(grep -c ': warning: ' errors) == 1 && $(<errors) == *"$text"* ]] ||
    mistake "$*: expected '$text', but: $(<errors)"
}
# refuses TEXT ARGUMENT...: the link fails with an error that contains TEXT; with -r, a warning
refuses() {
  local text=$1
  shift
  ! "$BPFLINK" "$@" -o out.o 2>errors || mistake "$*: links"
  [[ $(<errors) == *"error: "*"$text"* ]] || mistake "$*: expected '$text', but: $(<errors)"
  tells "$text" -r "$@"
}

map='{ __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); }'
use='return bpf_map_lookup_elem(&flows, &(int){0}) ? 1 : 0;'

# ---- maps

compile map_of_bss <<<"struct $map flows;"
compile map_of_maps <<END
struct $map flows SEC(".maps");
END
compile uses_map <<END
extern struct $map flows SEC(".maps");
SEC("socket") int prog(void *ctx) { $use }
END
compile uses_variable <<END
extern struct $map flows;
SEC("socket") int prog(void *ctx) { $use }
END
refuses "'flows' is declared with SEC(\".maps\") but defined without it" uses_map.o map_of_bss.o
silent uses_map.o map_of_maps.o
tells "'flows' is defined like a map, but is a variable in .bss" uses_variable.o map_of_bss.o
# An extern without SEC(".maps") refers to a map if its definition is one.
silent uses_variable.o map_of_maps.o

# ---- functions without SEC()

compile library <<'END'
int length(struct __sk_buff *ctx) { return ctx->len; }
__weak int of_header(struct __sk_buff *ctx) { return ctx->len; }
int of_no_context(int *numbers) { return numbers[0]; }
END
compile calls <<<'extern int length(struct __sk_buff *ctx);
SEC("tc") int prog(struct __sk_buff *ctx) { return length(ctx); }'
tells "'length' is in .text: is SEC(...) missing?" library.o
silent library.o calls.o
silent -r library.o
# A library may define more than its users call.
compile two_lengths <<'END'
int length(struct __sk_buff *ctx) { return ctx->len; }

int second(struct __sk_buff *ctx) { return ctx->priority; }
END
silent two_lengths.o calls.o
# A function that the compiler has inlined into its callers counts as called.
compile inlined <<<'int length(struct __sk_buff *ctx) { return ctx->len + 1; }
SEC("tc") int prog(struct __sk_buff *ctx) { return length(ctx) + 3; }'
silent inlined.o
compile inlined_constant <<'END'
int is_wanted(struct __sk_buff *ctx) { return 1; }

SEC("tc") int prog(struct __sk_buff *ctx) { return is_wanted(ctx) ? ctx->len : 0; }
END
silent inlined_constant.o
compile constant_alone <<<'int pass(struct __sk_buff *ctx) { return 1; }'
tells "'pass' is in .text: is SEC(...) missing?" constant_alone.o
compile constant_beside <<<'int pass(struct __sk_buff *ctx) { return 1; }
SEC("tc") int prog(struct __sk_buff *ctx) { return 2; }'
tells "'pass' is in .text: is SEC(...) missing?" constant_beside.o
# Only a tag names this callback.
compile callback <<'END'
void bpf_throw(unsigned long cookie) __ksym;
int on_throw(struct xdp_md *ctx) { return 3; }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:on_throw")))
int prog(struct xdp_md *ctx) { return ctx->data ? 1 : 2; }
END
silent callback.o

# A library needs no license; programs do.
compile prints <<<'int say(int code) { bpf_printk("%d", code); return 0; }'
silent prints.o
# ---- constants

compile constant <<<'const volatile int rate = 1;
const volatile int rates[4] = {1};'
compile variable <<<'int rate = 1;
int rates[4] = {1};'
compile reads <<<'extern int rate; SEC("tc") int prog(struct __sk_buff *ctx) { return rate; }'
compile reads_const <<<'extern const volatile int rate; SEC("tc") int prog(struct __sk_buff *ctx) { return rate; }'
compile writes <<<'extern int rates[4]; SEC("tc") int prog(struct __sk_buff *ctx) { rates[2] = ctx->len; return 0; }'
compile adds <<<'extern int rate; SEC("tc") int prog(struct __sk_buff *ctx) { __sync_fetch_and_add(&rate, 1); return 0; }'
tells "constant.bpf.c:1: warning: 'rate' is defined const but declared non-const" reads.o constant.o
tells "variable.bpf.c:1: warning: 'rate' is declared const but defined non-const" reads_const.o variable.o
refuses "'rates' is defined const but written to" writes.o constant.o
refuses "'rate' is defined const but written to" adds.o constant.o
silent reads_const.o constant.o
silent writes.o variable.o
# Loaders leave .data writable, even for constants.
compile constant_of_data <<<'const volatile int rate SEC(".data.rate") = 1;'
compile adds_to_data <<<'extern int rate SEC(".data.rate");
SEC("tc") int prog(struct __sk_buff *ctx) { __sync_fetch_and_add(&rate, 1); return 0; }'
tells "'rate' is defined const but declared non-const" adds_to_data.o constant_of_data.o

# ---- weak functions

compile checked <<<'extern int log_event(int code) __weak;
SEC("tc") int prog(struct __sk_buff *ctx) { return log_event ? log_event(1) : 0; }'
compile unchecked <<<'extern int log_event(int code) __weak;
SEC("tc") int prog2(struct __sk_buff *ctx) { return log_event(1); }'
compile logs <<<'int log_event(int code) { return code; }'
tells "weak function 'log_event' is not defined" checked.o
tells "weak function 'log_event' is not defined" unchecked.o
silent -r unchecked.o
silent unchecked.o logs.o
compile kfunc <<<'extern void bpf_rcu_read_lock(void) __ksym __weak;
SEC("tc") int prog(struct __sk_buff *ctx) { bpf_rcu_read_lock(); return 0; }'
silent --license GPL kfunc.o

# ---- type tags of prototypes, which verifiers ignore

compile kfunc_of_vmlinux <<'END'
#define __user __attribute__((btf_type_tag("user")))
extern int bpf_copy_from_user_str(void *dst, __u32 size, const void __user *from, __u64 flags) __ksym;
extern int first(char __user *text);
SEC("tc") int prog(struct __sk_buff *ctx)
{
  char text[8] = {};
  return bpf_copy_from_user_str(text, 8, (const void *)0, 0) + first(text);
}
END
compile kfunc_of_file <<'END'
extern int bpf_copy_from_user_str(void *dst, __u32 size, const void *from, __u64 flags) __ksym;
int first(char *text) { return text ? text[0] : 0; }
SEC("tc") int prog2(struct __sk_buff *ctx)
{
  char text[8] = {};
  return bpf_copy_from_user_str(text, 8, (const void *)0, 0) + first(text);
}
END
silent --license GPL kfunc_of_vmlinux.o kfunc_of_file.o

# ---- variables smaller than their types: the compiler split them

compile parts <<'END'
static long table[2];
static struct { int a; long b; } pair;
SEC("tc") int prog(struct __sk_buff *ctx)
{
  if (ctx->len > 4) { table[0]++; pair.a++; } else { table[1] += 3; pair.b += 5; }
  return table[0] + table[1] + pair.a + pair.b;
}
END
if bpftool btf dump file parts.o | has "'table.0'"; then
  silent parts.o
  python3 "$bpfobj" declarations out.o >dump
  grep -q 'long table.0' dump || mistake "table.0 has another type: $(grep table dump)"
  "$BTFDEDUP" --check out.o >faults || mistake "the kernel refuses parts: $(<faults)"
fi
# The part is an element of an array in a member.
compile nested <<'END'
static struct { struct { long x[2]; } in; } deep;
SEC("tc") int prog(struct __sk_buff *ctx)
{
  if (ctx->len > 4) deep.in.x[0]++; else deep.in.x[1] += 3;
  return deep.in.x[0] + deep.in.x[1];
}
END
if bpftool btf dump file nested.o | has "'deep.0'"; then
  silent nested.o
  "$BTFDEDUP" --check out.o >faults || mistake "the kernel refuses parts: $(<faults)"
fi
# The symbol fits two members, of different types.
compile unclear <<'END'
static struct { int a; float f; long b; } pair;
SEC("tc") int prog(struct __sk_buff *ctx)
{
  if (ctx->len > 4) pair.a++; else pair.b += 5;
  return pair.a + pair.b;
}
END
if bpftool btf dump file unclear.o | has "'pair.0'"; then
  silent unclear.o
  python3 "$bpfobj" declarations out.o >dump
  ! grep -q 'pair\.0' dump || mistake "pair.0 has a type: $(grep pair dump)"
  "$BTFDEDUP" --check out.o >faults || mistake "the kernel refuses parts: $(<faults)"
fi

# ---- externs to which libbpf's linker gave an offset

compile arena_user <<'END'
#define __arena __attribute__((address_space(1)))
extern int __arena counter;
int __arena own = 3;
SEC("syscall") int prog(void *ctx) { counter++; own++; return 0; }
END
compile arena_owner <<'END'
#define __arena __attribute__((address_space(1)))
struct { __uint(type, 33); __uint(map_flags, 1024); __uint(max_entries, 10); } arena SEC(".maps");
int __arena counter = 5;
SEC("syscall") int prog2(void *ctx) { counter--; return (long)&arena == 5; }
END
bpftool gen object half_user.o arena_user.o 2>/dev/null
bpftool gen object half_owner.o arena_owner.o 2>/dev/null
silent -r half_user.o
silent --verify half_user.o half_owner.o
"$BPFLINK" arena_user.o arena_owner.o -o whole.o
diff <(python3 "$bpfobj" declarations whole.o | grep -E 'counter|own') \
  <(python3 "$bpfobj" declarations out.o | grep -E 'counter|own') ||
  mistake 'a half-link gives another output'
