#!/bin/bash
# What programs may call depends on their type, and on the kernel's release.
. "$(dirname "$0")/common.sh"

compile calls <<'EOS'
SEC("cgroup/bind4") int binds(struct bpf_sock_addr *ctx) { int on = 1; return bpf_setsockopt(ctx, 1, 2, &on, 4) == 0; }
SEC("cgroup/connect4") int connects(struct bpf_sock_addr *ctx) { int on = 1; return bpf_setsockopt(ctx, 1, 2, &on, 4) == 0; }
SEC("raw_tp") int redirects(void *ctx) { return bpf_redirect(1, 0); }
SEC("raw_tp") int unused(void *ctx) { if (0) bpf_redirect(1, 0); return bpf_get_smp_processor_id(); }
SEC("uprobe.s") int sleeps(void *ctx) { return 0; }
SEC("xdp.frags") int frags(void *ctx) { return 2; }
EOS
kernel plain <<<'void init(void) {}'

fits 'bindsX connects+ redirectsX unused+ sleepsX fragsX' calls.o plain.btf --release 5.10.3
says "error: programs in 'cgroup/bind4' may not call bpf_setsockopt in plain.btf"
says 'error: raw_tracepoint programs may not call bpf_redirect in plain.btf'
says 'error: kprobe programs may not sleep in plain.btf'
says '>>> in Linux 6.1 they may'
says 'error: there are no xdp.frags programs, which came with Linux 5.18 in plain.btf'
fits 'binds+ connects+ redirectsX unused+ sleeps+ frags+' calls.o plain.btf --release 6.1.0
fits 'binds+ connects+ redirectsX unused+ sleeps+ frags+' calls.o plain.btf --release 6.12.0
# Between releases that were asked
fits 'binds? connects+ redirectsX unused+ sleeps? fragsX' calls.o plain.btf --release 5.15.0
says "not known of plain.btf: whether programs in 'cgroup/bind4' may call bpf_setsockopt"
# Newer than the tables
fits 'binds+ connects+ redirects? unused+ sleeps+ frags+' calls.o plain.btf --release 99.1.0
says '>>> only a load on that kernel can tell'
# Without a release, the newest helper of its BTF says which it has at least.
core 0 check calls.o plain.btf --table
[[ $(marks) == *'redirects? unused+'* ]] || fail "$(<core.out)"

# A kfunc may be for other programs.
compile kfuncs <<'EOS'
extern int bpf_xdp_pull_data(void *ctx, unsigned length) __ksym;
extern int own_kfunc(void *ctx) __ksym;
SEC("xdp") int right(void *ctx) { return bpf_xdp_pull_data(ctx, 1); }
SEC("raw_tp") int wrong(void *ctx) { return bpf_xdp_pull_data(ctx, 1); }
SEC("raw_tp") int unknown(void *ctx) { return own_kfunc(ctx); }
EOS
kernel kfuncs <<<'int bpf_xdp_pull_data(void *ctx, unsigned length) { return 0; } int own_kfunc(void *ctx) { return 0; }'
kernel others <<'EOS'
struct bpf_prog_aux;
int bpf_xdp_pull_data(void *ctx, unsigned length, struct bpf_prog_aux *aux) { return 0; }
int own_kfunc(int number) { return 0; }
EOS
fits 'right+ wrongX unknown?' kfuncs.o kfuncs.btf --release 7.2.0
says 'error: raw_tracepoint programs may not call bpf_xdp_pull_data in kfuncs.btf'
says 'not known of kfuncs.btf: whether raw_tracepoint programs may call own_kfunc'
core 1 check kfuncs.o kfuncs.btf --release 5.10.0
says 'error: there are no calls of kernel functions, which came with Linux 5.13 in kfuncs.btf'

# Each release has its own answers.
compile late <<'EOS'
extern int bpf_icmp_send(void *ctx) __ksym;
SEC("cgroup_skb/egress") int sends(void *ctx) { return bpf_icmp_send(ctx); }
SEC("raw_tp") int traces(void *ctx) { return bpf_icmp_send(ctx); }
EOS
kernel late <<<'int bpf_icmp_send(void *ctx) { return 0; }'
fits 'sends+ tracesX' late.o late.btf --release 7.3.0

# Both prototypes are shown where they differ. Kernels since 7.0 pass some arguments themselves; an old
# pahole shows these, too.
core 1 check kfuncs.o others.btf --release 7.1.0
says 'error: own_kfunc of vmlinux has another prototype in others.btf'
says '>>> the kernel has: int own_kfunc(int)'
says '>>> the program has: int own_kfunc(void *'
says '>>> its BTF is wrong: an old pahole wrote an implicit argument into it'

# What may sleep is called by programs that may, or put off to where it may.
compile sleeps <<'EOS'
extern int bpf_copy_from_user_str(void *to, unsigned size, const void *from, unsigned long flags) __ksym;
char text[8];
SEC("perf_event") int samples(void *ctx) { return bpf_copy_from_user_str(text, 8, 0, 0); }
SEC("uprobe.s") int probes(void *ctx) { return bpf_copy_from_user_str(text, 8, 0, 0); }
EOS
kernel strings <<'EOS'
int bpf_copy_from_user_str(void *to, unsigned size, const void *from, unsigned long flags) { return 0; }
EOS
core 1 check sleeps.o strings.btf --release 7.2.0 --table
says 'error: perf_event programs may not call bpf_copy_from_user_str in strings.btf'
says '>>> it may sleep: call it in a sleepable program'
grep -qE '^probes +\+$' core.out || fail "$(<core.out)"

# Some may be called by all since a release.
compile arena <<'EOS'
extern void bpf_arena_free_pages(void *map, void *pages, unsigned count) __ksym;
SEC("perf_event") int samples(void *ctx) { bpf_arena_free_pages(0, 0, 1); return 0; }
EOS
kernel arena <<<'void bpf_arena_free_pages(void *map, void *pages, unsigned count) {}'
core 1 check arena.o arena.btf --release 6.12.0
says 'error: perf_event programs may not call bpf_arena_free_pages in arena.btf'
says '>>> it may sleep: call it in a sleepable program'
core 0 check arena.o arena.btf --release 7.0.0 --table
grep -qE '^samples +\?$' core.out || fail "$(<core.out)"
core 0 check arena.o arena.btf --release 7.2.0 --table
grep -qE '^samples +\+$' core.out || fail "$(<core.out)"

# The verifier looks for a trusted argument's struct by name.
compile trusted <<'EOS'
struct here { int pid; };
struct gone { int pid; };
struct twice { int pid; };
#define trusted __attribute__((btf_decl_tag("arg:trusted")))
__attribute__((noinline)) int good(struct here *it trusted) { return it ? it->pid : 0; }
__attribute__((noinline)) int bad(struct gone *it trusted) { return it ? it->pid : 0; }
__attribute__((noinline)) int doubtful(struct twice *it trusted) { return it ? it->pid : 0; }
SEC("raw_tp") int fine(void *ctx) { return good(ctx); }
SEC("raw_tp") int lacks(void *ctx) { return bad(ctx); }
SEC("raw_tp") int doubts(void *ctx) { return doubtful(ctx); }
EOS
kernel once <<<'struct here { int pid; } here; struct twice { int pid; } twice; void init(void) {}'
kernel again <<<'struct twice { long pid; } twice;'
"$BTFDEDUP" once.btf again.btf -o both.btf
core 1 check trusted.o both.btf --release 6.12.0 --table
says 'trusted.bpf.c:6:'
says 'error: there is no struct gone, which an argument points to in both.btf'
says '>>> needed by program lacks'
says 'error: there are 2 structs twice, one of which an argument points to in both.btf'
grep -qE '^fine +\+$' core.out || fail "$(<core.out)"
core 0 check trusted.o both.btf --release 6.1.0 --json old.json
core 1 check trusted.o both.btf --release 6.8.0 --json new.json
says "error: the tag 'arg:trusted' of an argument came with Linux 6.9 in both.btf"
[[ $(jq -c '[.findings[] | select(.kind == "argument type") | .name]' old.json new.json | xargs) == \
  '[] [good,bad,doubtful]' ]] || fail "$(<new.json)"
kernel bare bare <<<'struct here { int pid; } here; int own_kfunc(void *ctx) { return 0; }'
core 0 check trusted.o bare.btf
says "the tag 'arg:trusted' of an argument"
core 1 check kfuncs.o bare.btf
says 'whether programs may call own_kfunc'

# Spin locks, also in code that a program only contains
compile lock <<'EOS'
struct value { struct bpf_spin_lock lock; int number; };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct value); } map SEC(".maps");
static __attribute__((noinline)) int count(void) { int key = 0; struct value *v = bpf_map_lookup_elem(&map, &key); return v ? v->number++ : 0; }
SEC("kprobe/do_exit") int probes(void *ctx) { return count(); }
SEC("perf_event") int idles(void *ctx) { return 0; }
SEC("tc") int classifies(void *ctx) { return count(); }
EOS
fits 'probesX idles+ classifies+' lock.o plain.btf --release 7.2.0
says 'error: no kernel takes maps with a bpf_spin_lock in kprobe programs in plain.btf'

# Pointers to a program's context as arguments of global functions
compile contexts <<'EOS'
struct bpf_user_pt_regs_t { long reg; };
struct user_pt_regs { long regs[31]; };
typedef struct user_pt_regs user_regs;
struct pair { int a, b; };
long sum;
__attribute__((noinline)) int of_kprobe(struct bpf_user_pt_regs_t *ctx) { return sum += bpf_get_stackid(ctx, 0, 0); }
__attribute__((noinline)) int of_uprobe(user_regs *ctx) { return sum += bpf_get_stackid(ctx, 0, 0); }
__attribute__((noinline)) int of_socket(const struct bpf_sock *ctx) { return sum += ctx->family; }
__attribute__((noinline)) int of_pair(struct pair *pair) { return sum += pair->a; }
SEC("kprobe/do_exit") int probes(struct bpf_user_pt_regs_t *ctx) { return of_kprobe(ctx); }
SEC("uprobe") int enters(struct user_pt_regs *ctx) { return of_uprobe(ctx); }
SEC("cgroup/sock_create") int creates(struct bpf_sock *ctx) { return of_socket(ctx) & 1; }
SEC("xdp") int pairs(void *ctx) { struct pair pair = {1, 2}; return of_pair(&pair) & 1; }
EOS
fits 'probes+ enters+ creates+ pairsX' contexts.o plain.btf --release 5.10.0
says 'error: pointers as arguments of global functions came with Linux 5.12 in plain.btf'
says_not of_socket

# A helper that the kernel lacks is an error only if reachable code calls it.
compile helper <<'EOS'
#include <bpf/bpf_core_read.h>
enum bpf_func_id___mine { BPF_FUNC_get_func_ip___mine = 173 };
long sum;
SEC("raw_tp") int asks(void *ctx) {
  if (bpf_core_enum_value_exists(enum bpf_func_id___mine, BPF_FUNC_get_func_ip___mine)) sum = bpf_get_func_ip(ctx);
  return 0;
}
SEC("raw_tp") int does_not_ask(void *ctx) { return bpf_get_func_ip(ctx); }
EOS
kernel old bare <<<'enum bpf_prog_type { BPF_PROG_TYPE_RAW_TRACEPOINT = 17 } types;
enum bpf_func_id { BPF_FUNC_unspec, BPF_FUNC_map_lookup_elem, __BPF_FUNC_MAX_ID } ids; void f(void) {}'
core 1 check helper.o old.btf --release 5.10.0
says 'helper.bpf.c:8:52: error: there is no helper bpf_get_func_ip (id 173) in old.btf'
says '>>> needed by program does_not_ask'
says_not 'needed by program asks'

# The place is that of a call which the program reaches, in a function of its own or a shared one. Whether
# it does may depend on the version; what it does with any version fails without one as well.
compile calls -mcpu=v2 <<'EOS'
extern int LINUX_KERNEL_VERSION __kconfig;
static __noinline long visits(void *ctx, int is_new) {
  if (is_new) return bpf_get_func_ip(ctx);
  return bpf_get_attach_cookie(ctx);
}
SEC("raw_tp") int old_way(void *ctx) { return visits(ctx, 0); }
SEC("raw_tp") int newer(void *ctx) { return LINUX_KERNEL_VERSION < 0x050f00 ? 0 : visits(ctx, 1); }
SEC("raw_tp") int either(void *ctx) {
  if (LINUX_KERNEL_VERSION < 0x050f00)
    return bpf_get_func_arg_cnt(ctx);
  asm volatile("");
  return bpf_get_func_arg_cnt(ctx) + 1;
}
SEC("raw_tp") int between(void *ctx) {
  return LINUX_KERNEL_VERSION < 0x050f00 || LINUX_KERNEL_VERSION > 0x060100 ? 0 : bpf_get_func_arg_cnt(ctx);
}
EOS
fits 'old_wayX newer? eitherX between?' calls.o old.btf
says 'calls.bpf.c:4:10: error: there is no helper bpf_get_attach_cookie (id 174) in old.btf'
says 'calls.bpf.c:10:12: error: there is no helper bpf_get_func_arg_cnt (id 185) in old.btf'
says 'not known of old.btf: LINUX_KERNEL_VERSION'
says 'whether programs reach this: there is no helper bpf_get_func_ip (id 173)'
says '>>> needed by program newer, between'
says '>>> give its --release'
fits 'old_wayX newerX eitherX betweenX' calls.o old.btf --release 5.15.0
fits 'old_wayX newerX eitherX between+' calls.o old.btf --release 6.6.0
