#!/bin/bash
# A tracing library of ten files with two files of programs. It has USDT-like weak maps and hidden
# weak functions in a header, an arena, kernel options and functions, hooks that a program overrides,
# CO-RE, and static names used twice. Its state is in an arena, or in plain variables together with
# a file that bpf-gcc compiled.
. "$(dirname "$0")/common.sh"

cat >trace.h <<'END'
#include <bpf/bpf_core_read.h>
#ifdef ARENA
#define __state __attribute__((address_space(1)))
#else
#define __state
#endif
struct record { __u64 time; __u32 kind, hash; };
struct name { char text[8]; };
struct pt_regs;
typedef __u32 kind_t;

int is_enabled(kind_t kind);
int count(kind_t kind);
__u32 hash(__u32 x);
int kind_of(struct name *name);
int in_kernel(int x);
int emit(struct record *record);
int on_record(struct record *record);
int remember(__u32 slot, __u32 value);
__hidden int argument(struct pt_regs *ctx);
__hidden int result(struct pt_regs *ctx);
END
cat >probe.h <<'END'
struct probe_spec { long offset; int kind; };
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 16);
  __type(key, int); __type(value, struct probe_spec);
} probe_specs SEC(".maps") __weak;
struct {
  __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64);
  __type(key, long); __type(value, __u32);
} probe_ids SEC(".maps") __weak;
extern const _Bool LINUX_HAS_BPF_COOKIE __kconfig;
static __noinline int probe_id(struct pt_regs *ctx) {
  if (LINUX_HAS_BPF_COOKIE) return bpf_get_attach_cookie(ctx);
  long ip = (long)ctx;
  int *id = bpf_map_lookup_elem(&probe_ids, &ip);
  return id ? *id : -1;
}
__weak __hidden int probe_kind(struct pt_regs *ctx) {
  int id = probe_id(ctx);
  struct probe_spec *spec = bpf_map_lookup_elem(&probe_specs, &id);
  return spec ? spec->kind : -1;
}
__weak __hidden long probe_offset(struct pt_regs *ctx) {
  int id = probe_id(ctx);
  struct probe_spec *spec = bpf_map_lookup_elem(&probe_specs, &id);
  return spec ? spec->offset : -1;
}
END

compile_all() { # FLAG...
  compile probes -I. "$@" <<'END'
#include "trace.h"
#include "probe.h"
char LICENSE[] SEC("license") = "GPL";
SEC("usdt") int probe_open(struct pt_regs *ctx) { return count(1) + argument(ctx) + probe_kind(ctx); }
SEC("usdt") int probe_read(struct pt_regs *ctx) { return count(2) + result(ctx); }
SEC("kretprobe/no_function") int probe_return(struct pt_regs *ctx) { return result(ctx); }
END
  compile control -I. "$@" <<'END'
#include "trace.h"
char LICENSE[] SEC("license") = "GPL";
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, kind_t); __type(value, __u64); } tallies SEC(".maps");
extern __u64 total;
extern long __state kept;
struct task_struct { int pid, tgid; } __attribute__((preserve_access_index));
static volatile __u32 calls = 100;
__u32 of_hook;

__noinline int on_record(struct record *record) { return record ? of_hook = record->hash : 0; }
SEC("raw_tp/sys_enter") int enter(void *ctx) {
  struct name name = {"read"};
  kind_t kind = kind_of(&name);
  struct record record = {.kind = kind};
  if (!is_enabled(kind) || is_enabled(0)) return -1;
  record.hash = hash(5);
  calls++;
  return count(kind) + emit(&record) * 10;
}
SEC("raw_tp/sys_exit") int leave(void *ctx) {
  kind_t kind = 2;
  __u64 *tally = bpf_map_lookup_elem(&tallies, &kind);
  int pid = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), tgid);
  return (tally ? *tally : -1) + total * 10 + calls * 100 +
         (pid == bpf_get_current_pid_tgid() >> 32) * 1000000 + (in_kernel(7) == 7) * 2000000;
}
SEC("?socket") int never_loaded(struct __sk_buff *ctx) { return *(volatile int *)0; }
SEC("syscall") int use_state(void *ctx) { return remember(3, 4) + remember(3, 5) + kept; }
END

  compile settings -I. "$@" <<'END'
#include "trace.h"
const volatile kind_t enabled_kinds = 0xe;
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF_SYSCALL __kconfig __weak;
static volatile __u32 calls;
__noinline int is_enabled(kind_t kind) {
  calls++;
  return LINUX_KERNEL_VERSION != 0 && CONFIG_BPF_SYSCALL && (enabled_kinds >> (kind & 31) & 1);
}
END
  compile arguments -I. "$@" <<'END'
#include "trace.h"
#include "probe.h"
__hidden __noinline int argument(struct pt_regs *ctx) { return probe_kind(ctx) + 1; }
END
  compile results -I. "$@" <<'END'
#include "trace.h"
#include "probe.h"
__hidden __noinline int result(struct pt_regs *ctx) { return probe_offset(ctx) != 0 && is_enabled(2); }
END
  compile counters -I. "$@" <<'END'
#include "trace.h"
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 8); __type(key, kind_t); __type(value, __u64);
} tallies SEC(".maps");
__u64 total;
static volatile __u32 calls;
__noinline int count(kind_t kind) {
  __u64 *tally = bpf_map_lookup_elem(&tallies, &kind);
  if (!tally) return -1;
  calls++;
  total += 2;
  return ++*tally;
}
END
  cat >hash.c <<'END'
typedef unsigned int u32;
u32 seed = 17;
static volatile u32 calls = 1;
static u32 __attribute__((noinline)) mix(u32 x) { calls++; return x * 31 + seed; }
u32 hash(u32 x) { return mix(mix(x)) % 1000; }
END
  if [[ $with == plain ]] && command -v bpf-gcc >/dev/null; then
    bpf-gcc -gbtf -O2 -c hash.c -o hash.o
  else
    compile hash "$@" <hash.c
  fi
  compile names -I. "$@" <<'END'
#include "trace.h"
static const char first_letters[] = "-or";
static __noinline int mix(int kind) { return first_letters[kind & 3] != '-' ? kind : 0; }
__noinline int kind_of(struct name *name) {
  if (!name) return 0;
  if (bpf_strncmp(name->text, sizeof name->text, "open") == 0) return mix(1);
  if (bpf_strncmp(name->text, sizeof name->text, "read") == 0) return mix(2);
  return mix(0);
}
END
  compile kernel -I. "$@" <<'END'
#include "trace.h"
extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;
extern int no_kernel_has_this(struct record *record) __ksym __weak;
extern const void no_symbol_either __ksym __weak;
__noinline int in_kernel(int x) {
  if (bpf_rcu_read_lock && bpf_rcu_read_unlock) {
    bpf_rcu_read_lock();
    bpf_rcu_read_unlock();
  }
  if (no_kernel_has_this) return no_kernel_has_this(0);
  return &no_symbol_either ? -1 : x;
}
END
  compile hooks -I. "$@" <<'END'
#include "trace.h"
struct only_of_the_default { struct record record; long more; };
static __noinline int unused_default(struct only_of_the_default *all) { return all->more; }
__weak int on_record(struct record *record) {
  struct only_of_the_default all = {};
  return unused_default(&all);
}
__noinline int emit(struct record *record) { return record ? on_record(record) : -1; }
END
  compile scratch -I. "$@" <<'END'
#include "trace.h"
#ifdef ARENA
struct {
  __uint(type, 33 /* BPF_MAP_TYPE_ARENA */); __uint(map_flags, 1 << 10); __uint(max_entries, 10);
} arena SEC(".maps");
#endif
long __state kept;
static long __state slots[16];
__noinline int remember(__u32 slot, __u32 value) {
#ifdef ARENA
  asm volatile("" : : "r"(&arena)); // a program has to name its arena
#endif
  slots[slot & 15] += value;
  kept += value;
  return slots[slot & 15];
}
END
  compile unneeded -I. "$@" <<'END'
#include "trace.h"
#include "probe.h"
extern int CONFIG_NO_SUCH_OPTION __kconfig __weak;
extern void bpf_rcu_read_lock(void) __ksym __weak;
struct only_unneeded { long x[3]; };
struct only_unneeded unneeded_data = {{1}};
__noinline int unneeded(struct only_unneeded *p) {
  if (bpf_rcu_read_lock) return CONFIG_NO_SUCH_OPTION;
  return p ? p->x[1] + unneeded_data.x[0] + count(1) : 0;
}
END
}

main=(probes.o control.o)
library=(settings.o arguments.o results.o counters.o hash.o names.o kernel.o hooks.o scratch.o unneeded.o)
unneeded=(unneeded.o)

# The names that a reference of in_all_ways has, by section
functions_of() { sed -n 's/^function \.text //p' "$1.summary" | sort | tr '\n' ' '; }
variables_of() { sed -n "s/^variable \\$2 \([^ ]*\) .*/\1/p" "$1.summary" | sort | tr '\n' ' '; }

has_all_that_it_should() {
  local way in_arena='' plainly='kept slots '
  if [[ $with == arena ]]; then in_arena='kept slots ' plainly=''; fi
  expect '?socket never_loaded
kretprobe/no_function probe_return
raw_tp/sys_enter enter
raw_tp/sys_exit leave
syscall use_state
usdt probe_open
usdt probe_read' programs
  expect "${in_arena:+$'arena 24\n'}probe_ids 32
probe_specs 32
tallies 32" maps
  # One of the static functions that weak functions call is in use. --gc-sections drops those of weak
  # functions that lost.
  local functions='argument count emit hash in_kernel is_enabled kind_of mix mix on_record '
  expect "$functions"'probe_id probe_kind probe_offset remember result ' functions_of $with.gc
  expect "$functions"'probe_id probe_id probe_id probe_id probe_kind probe_offset remember result unneeded unused_default ' functions_of $with.whole
  for way in gc needed whole; do
    local option='' data=''
    if [[ $way == whole ]]; then option='CONFIG_NO_SUCH_OPTION ' data='unneeded_data '; fi
    expect "CONFIG_BPF_SYSCALL ${option}LINUX_HAS_BPF_COOKIE LINUX_KERNEL_VERSION " variables_of $with.$way .kconfig
    expect 'bpf_rcu_read_lock bpf_rcu_read_unlock no_kernel_has_this no_symbol_either ' variables_of $with.$way .ksyms
    expect "calls calls seed $data" variables_of $with.$way .data
    expect "calls calls ${plainly:0:5}of_hook ${plainly:5}total " variables_of $with.$way .bss
    expect "$in_arena" variables_of $with.$way .addr_space.1
    expect 'enabled_kinds ' variables_of $with.$way .rodata
  done
  grep -q '^struct only_unneeded ' $with.whole.summary
  if grep only_unneeded $with.{gc,needed}.summary; then fail 'types of what nobody uses'; fi
  if grep only_of_the_default $with.gc.summary; then fail 'types of a weak function that lost'; fi
}

for with in arena plain; do
  flags=() in_data=kept=9
  if [[ $with == arena ]]; then flags=(-DARENA) in_data=''; fi # `run` cannot read an arena
  compile_all "${flags[@]}"
  in_all_ways $with
  object=gc.o
  has_all_that_it_should
  unset object
  # hash(5) is 349, and the program's hook receives it.
  if [[ $with == plain ]] || can_load_arenas; then
    run_all 'enter()=3491' of_hook=349 'leave()=3010121' 'use_state()=22' 'tallies[2]=1' total=2 $in_data
  fi
done
