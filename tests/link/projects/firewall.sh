#!/bin/bash
# A firewall: programs and a TCP congestion control with a library of many files, one without BTF, one
# of bpf-gcc, compiled for several instruction sets. It has tail calls to programs of the library, maps of
# maps, a callback, own sections for data and constants, types that some files only declare, hidden
# functions, tags; constants, maps and functions that each file defines weakly, a hook that a program
# overrides, kernel options and functions, CO-RE; and then state in an arena.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

cat >firewall.h <<'END'
#define __tag(text) __attribute__((btf_decl_tag(text)))
struct flow { __u32 source, kind; };
struct stats;
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, __u32); __type(value, __u32); };
const volatile __u32 most_rules __weak = 3;
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, __u32); __type(value, __u32); } quotas SEC(".maps") __weak;
static __noinline __u32 *quota_of(__u32 kind) { return bpf_map_lookup_elem(&quotas, &kind); }
__weak __hidden __u32 quota(__u32 kind) { __u32 *quota = quota_of(kind); return quota ? *quota : 0; }
static const char version[] = "1.0";
extern struct stats stats;

__hidden int parse(struct xdp_md *ctx, struct flow *flow);
int seen(__u32 kind);
__u32 bucket(__u32 x);
__u32 sum_of_rules(__u32 count);
__u32 limit_of(__u32 kind);
__u32 rule(__u32 table, __u32 index);
int checksum(struct flow *flow);
__u32 hash(__u32 x);
int in_kernel(int x);
int emit(struct flow *flow);
int on_verdict(struct flow *flow);
END

compile dataplane -I. <<'END'
#include "firewall.h"
char LICENSE[] SEC("license") = "GPL";
int pass(struct xdp_md *ctx), drop(struct xdp_md *ctx);
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 4); __uint(key_size, sizeof(int));
  __array(values, int (struct xdp_md *));
} verdicts SEC(".maps") = { .values = { [1] = pass, [3] = drop } };
__u32 last_kind;
SEC("xdp") int ingress(struct xdp_md *ctx) {
  struct flow flow = {};
  if (parse(ctx, &flow)) return -1;
  last_kind = flow.kind;
  return seen(flow.kind) + bucket(flow.kind) * 10 + sum_of_rules(most_rules) * 100 + limit_of(2) * 10000 +
         checksum(&flow) * 1000000;
}
SEC("xdp") int to_pass(struct xdp_md *ctx) { bpf_tail_call(ctx, &verdicts, 1); return 90; }
SEC("xdp") int to_drop(struct xdp_md *ctx) { bpf_tail_call(ctx, &verdicts, 3); return 91; }
SEC("xdp") int to_none(struct xdp_md *ctx) { bpf_tail_call(ctx, &verdicts, 2); return 92; }
END
compile observe -I. <<'END'
#include "firewall.h"
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct { int pid, tgid; } __attribute__((preserve_access_index));
__u32 of_hook;
__noinline int on_verdict(struct flow *flow) { return flow ? of_hook = flow->kind : 0; }
SEC("raw_tp/sys_enter") int observe(void *ctx) {
  struct flow flow = {1, 6};
  int pid = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), tgid);
  return in_kernel(7) + (pid == bpf_get_current_pid_tgid() >> 32) * 10 + quota(2) * 100 + emit(&flow) * 1000 + hash(5) * 100000;
}
SEC("?socket") int never_loaded(struct __sk_buff *ctx) { return *(volatile int *)0; }
END
compile congestion -I. <<'END'
char LICENSE[] SEC("license") = "GPL";
struct sock;
struct tcp_congestion_ops {
  __u32 (*ssthresh)(struct sock *);
  void (*cong_avoid)(struct sock *, __u32, __u32);
  __u32 (*undo_cwnd)(struct sock *);
  char name[16];
};
SEC("struct_ops/threshold") __u32 threshold(unsigned long long *ctx) { return 2; }
void avoid(unsigned long long *ctx);
__u32 undo(unsigned long long *ctx);
SEC(".struct_ops") struct tcp_congestion_ops control = {
  .ssthresh = (void *)threshold, .cong_avoid = (void *)avoid, .undo_cwnd = (void *)undo, .name = "bpflink",
};
END

compile parse -I. -mcpu=v2 <<'END'
#include "firewall.h"
__hidden __noinline int parse(struct xdp_md *ctx, struct flow *flow) {
  unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
  if (data + 34 > end || data[12] != 8 || data[13] != 0) return -1;
  flow->kind = data[14] & 15;
  flow->source = data[26];
  return 0;
}
END
compile stats -I. <<'END'
#include "firewall.h"
struct stats { __u64 all; __u32 of_kind[16]; };
struct stats stats SEC(".data.stats") __tag("counted") = {1000};
__noinline int seen(__u32 kind) {
  stats.all++;
  return ++stats.of_kind[kind & 15];
}
END
compile bucket -g0 <<<'static __noinline __u32 mix(__u32 x) { return x * 3; }
__u32 bucket(__u32 x) { return mix(x) % 7; }'
compile rules -I. <<'END'
#include "firewall.h"
extern struct inner allowed SEC(".maps"), denied SEC(".maps");
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 2); __type(key, __u32);
  __array(values, struct inner);
} tables SEC(".maps") = { .values = { &allowed, &denied } };
__noinline __u32 rule(__u32 table, __u32 index) {
  void *rules = bpf_map_lookup_elem(&tables, &table);
  __u32 *rule = rules ? bpf_map_lookup_elem(rules, &index) : 0;
  return rule ? ++*rule : 0;
}
END
compile tables -I. <<'END'
#include "firewall.h"
struct inner denied SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, __u32); __type(value, struct flow); } flows SEC(".maps");
struct inner allowed SEC(".maps");
END
compile sum -I. <<'END'
#include "firewall.h"
struct sum { __u32 of; };
static long add(__u32 index, struct sum *sum) { sum->of += rule(1, index); return 0; }
__noinline __u32 sum_of_rules(__u32 count) {
  struct sum sum = {};
  bpf_loop(count & 3, add, &sum, 0);
  return sum.of;
}
END
compile limits -I. <<'END'
#include "firewall.h"
const __u32 limits[4] SEC(".rodata.limits") = {5, 6, 7, 8};
static __noinline __u32 mix(__u32 x) { return limits[x & 3]; }
__noinline __u32 limit_of(__u32 kind) { return mix(kind) + (version[kind & 1] == '1'); }
END
compile checksum -I. <<'END'
#include "firewall.h"
struct stats { __u64 all; __u32 of_kind[16]; };
__noinline int checksum(struct flow *flow) {
  int key = 7;
  extern struct { __uint(type, BPF_MAP_TYPE_HASH); } flows SEC(".maps");
  if (!flow || bpf_map_update_elem(&flows, &key, flow, 0)) return -1;
  return stats.all > 1000 ? stats.of_kind[flow->kind & 15] : 0;
}
END
compile verdicts -I. -mcpu=v1 <<'END'
#include "firewall.h"
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp") __weak int drop(struct xdp_md *ctx) { return XDP_DROP; }
END
compile undo -I. <<<'SEC("struct_ops/undo") __u32 undo(unsigned long long *ctx) { return 3; }
SEC("struct_ops/avoid") void avoid(unsigned long long *ctx) {}'
compile hooks -I. <<'END'
#include "firewall.h"
struct only_of_the_default { struct flow flow; long more; };
static __noinline int unused_default(struct only_of_the_default *all) { return all->more; }
__weak int on_verdict(struct flow *flow) { struct only_of_the_default all = {}; return unused_default(&all); }
__noinline int emit(struct flow *flow) { return flow ? on_verdict(flow) : -1; }
END
compile kernel -I. <<'END'
extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool CONFIG_BPF_SYSCALL __kconfig __weak;
extern void bpf_rcu_read_lock(void) __ksym __weak;
extern void bpf_rcu_read_unlock(void) __ksym __weak;
extern const void no_such_symbol __ksym __weak;
__noinline int in_kernel(int x) {
  if (bpf_rcu_read_lock && bpf_rcu_read_unlock) {
    bpf_rcu_read_lock();
    bpf_rcu_read_unlock();
  }
  return &no_such_symbol || !LINUX_KERNEL_VERSION || !CONFIG_BPF_SYSCALL ? -1 : x;
}
END
cat >hash.c <<'END'
typedef unsigned int u32;
u32 seed = 17;
static u32 calls = 1;
static u32 __attribute__((noinline)) twist(u32 x) { calls++; return x * 31 + seed; }
u32 hash(u32 x) { return twist(twist(x)) % 1000; }
END
if command -v bpf-gcc >/dev/null; then bpf-gcc -gbtf -O2 -c hash.c -o hash.o; else compile hash <hash.c; fi
compile unneeded -I. <<'END'
#include "firewall.h"
extern int CONFIG_NO_SUCH_OPTION __kconfig __weak;
struct only_unneeded { struct flow flow; struct only_unneeded *next; };
static __noinline int mix(struct only_unneeded *p) { return p->flow.kind; }
int unneeded(struct only_unneeded *p) { return (p ? mix(p) : CONFIG_NO_SUCH_OPTION) + limit_of(most_rules); }
END

main=(dataplane.o observe.o congestion.o)
library=(parse.o stats.o bucket.o rules.o tables.o sum.o limits.o checksum.o verdicts.o undo.o hooks.o kernel.o hash.o unneeded.o)
unneeded=(unneeded.o)
in_all_ways firewall

object=gc.o
expect '?socket never_loaded
raw_tp/sys_enter observe
struct_ops/avoid avoid
struct_ops/threshold threshold
struct_ops/undo undo
xdp drop
xdp ingress
xdp pass
xdp to_drop
xdp to_none
xdp to_pass' programs
expect 'allowed 32
denied 32
flows 32
quotas 32
tables 40
verdicts 56' maps
contains 'stats 0 72' datasec .data.stats
contains 'limits 0 16' datasec .rodata.limits
expect '5 0 0 0' eval 'bytes .rodata.limits 0 4 | sed "s/0\([0-9]\)/\1/g"'
contains 'tag counted on stats;' declarations
expect $'CONFIG_BPF_SYSCALL\nLINUX_KERNEL_VERSION' variables .kconfig
expect $'bpf_rcu_read_lock\nbpf_rcu_read_unlock\nno_such_symbol' variables .ksyms
unset object
expect 2 eval "grep -c '^symbol mix ' firewall.gc.summary"
expect 3 eval "grep -c '^symbol mix ' firewall.whole.summary"
expect 1 eval "grep -c '^symbol most_rules ' firewall.whole.summary"
if grep -E 'only_unneeded| unneeded|NO_SUCH_OPTION' firewall.{gc,needed}.summary; then fail 'what nobody uses'; fi
if grep only_of_the_default firewall.gc.summary; then fail 'types of a weak function that lost'; fi
expect 1 eval "grep -c '^function .text quota_of' firewall.gc.summary"

# bucket(5) is 1, three rules become 1, the limit is 7 and 1; the checksum was observed.
run_all 'ingress()=1080311' 'stats=1001' last_kind=5 'denied[2]=1' 'allowed[2]=0' 'denied[3]=0' 'flows[7]=0x500000000' \
  'to_pass()=2' 'to_drop()=1' 'to_none()=92' 'ingress()=2080612' most_rules=3 'observe()=34906017' of_hook=6

# Variables of an arena, which the library's file defines
compile state <<'END'
char LICENSE[] SEC("license") = "GPL";
extern long __attribute__((address_space(1))) kept;
int remember(__u32 slot, __u32 value);
SEC("syscall") int use_state(void *ctx) { return remember(3, 4) + remember(3, 5) + kept; }
END
compile scratch <<'END'
struct { __uint(type, 33 /* BPF_MAP_TYPE_ARENA */); __uint(map_flags, 1 << 10); __uint(max_entries, 10); } arena SEC(".maps");
long __attribute__((address_space(1))) kept;
static long __attribute__((address_space(1))) slots[16];
__noinline int remember(__u32 slot, __u32 value) {
  asm volatile("" : : "r"(&arena)); // a program has to name its arena
  slots[slot & 15] += value;
  kept += value;
  return slots[slot & 15];
}
END
main+=(state.o)
library+=(scratch.o)
in_all_ways arena
expect $'kept\nslots' variables .addr_space.1
if can_load_arenas; then run_all 'use_state()=22'; fi
