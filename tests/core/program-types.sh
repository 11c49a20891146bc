#!/bin/bash
# What programs may call depends on their type, and on the kernel's release.
. "$(dirname "$0")/common.sh"

compile calls <<'EOS'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
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
char LICENSE[] SEC("license") = "GPL";
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
char LICENSE[] SEC("license") = "GPL";
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
char LICENSE[] SEC("license") = "GPL";
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
char LICENSE[] SEC("license") = "GPL";
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

# Instructions of the oldest and the newest releases. Old verifiers look at all instructions first: a
# dead one counts, too.
compile insns <<'EOS'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
const volatile int enabled;
int count;
SEC("raw_tp") int fetches(void *ctx) { return enabled ? __sync_fetch_and_add(&count, 1) : 0; }
SEC("raw_tp") int compares(int *ctx) { return ctx[0] < ctx[1] ? 7 : 9; }
SEC("raw_tp") __attribute__((naked)) int passes(void *ctx) {
  asm volatile(".byte 0x7b, 0x1b, 0xf8, 0xff, 0, 0, 0, 0; r0 = 0; exit"); // *(u64 *)(r11 - 8) = r1
}
EOS
core 1 check insns.o plain.btf --release 5.10.0
says 'error: there are no atomic operations other than addition, which came with Linux 5.12'
says '>>> compile with -mcpu=v2'
says '>>> needed by program fetches'
says 'error: there are no arguments on the stack, which came with Linux 7.2'
says '>>> pass at most five'
core 1 check insns.o plain.btf --release 5.0.0
says 'error: there are no jumps of 32 bits, which came with Linux 5.1'

# The verifier looks for a trusted argument's struct by name.
compile trusted <<'EOS'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
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
says 'trusted.bpf.c:9:'
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

# From Linux 5.6 on a global function is verified on its own, with pointers from 5.12 on.
compile pointers <<'EOS'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
struct pair { int a, b; };
#define noinline __attribute__((noinline))
noinline int sum(int start, struct pair *pair) { return pair ? start + pair->a : 0; }
noinline int length(struct xdp_md *ctx) { return ctx->data_end - ctx->data; }
noinline int tagged(void *ctx __attribute__((btf_decl_tag("arg:ctx")))) { return ctx != 0; }
noinline __attribute__((visibility("hidden"))) int hidden(int *number) { return number ? *number : 0; }
static noinline int local(int *number) { return number ? *number : 0; }
SEC("xdp") int sums(struct xdp_md *ctx) { struct pair pair = {1, 2}; return sum(1, &pair); }
SEC("xdp") int measures(struct xdp_md *ctx) { return length(ctx) + tagged(ctx); }
SEC("xdp") int hides(struct xdp_md *ctx) { int number = 1; return hidden(&number) + local(&number); }
EOS
core 1 check pointers.o plain.btf --release 5.10.0 --table
says 'pointers.bpf.c:6:'
says 'error: pointers as arguments of global functions came with Linux 5.12 in plain.btf'
says '>>> needed by program sums'
says '>>> make sum static, or __hidden if other files call it'
[[ $(tail -n 1 core.out) == '2 of 3 programs fit plain.btf' ]] || fail "$(<core.out)"
for release in 5.4.0 5.12.0; do
  core 0 check pointers.o plain.btf --release $release
  says_not pointers
done
core 0 check pointers.o bare.btf
says 'pointers as arguments of global functions'
