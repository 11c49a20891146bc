#!/bin/bash
# What came with a release: a program that needs it fails on the release before, with what to do instead, and fits from
# that release on.
. "$(dirname "$0")/common.sh"

kernel plain <<'EOS'
struct my_ops { int (*run)(int value); };
struct bpf_struct_ops_my_ops { long state; struct my_ops data; } value;
void init(void) {}
EOS

# since RELEASE TEXT [HINT]: since.o needs what TEXT says came with RELEASE
since() {
  local before=${1%.*}.$((${1#*.} - 1)).0
  core 1 check since.o plain.btf --release "$before"
  says "error: $2 came with Linux $1 in plain.btf"
  [[ ! ${3:-} ]] || says ">>> $3"
  core 0 check since.o plain.btf --release "$1.0"
  [[ ! -s core.log ]] || fail "$2 on $1: $(<core.log)"
}

# ---- instructions

while IFS=@ read -r release text hint code; do
  assemble since -mcpu=v4 <<END_OF_CODE
	.section raw_tp,"ax",@progbits
	global prog, function
	$code
	exit
	end prog
END_OF_CODE
  if [[ $release == 0 ]]; then fits prog+ since.o plain.btf --release 5.10.0 && continue; fi
  since "$release" "there are no $text, which" "$hint"
  core 0 check since.o plain.btf # whose newest helper says which release it is at least
  [[ $release == 5.* ]] || says "not known of plain.btf: $text"
done <<'END'
0@@@lock *(u64 *)(r1 + 0) += r2
5.12@atomic operations other than addition@compile with -mcpu=v2@lock *(u64 *)(r1 + 0) |= r2
6.9@may_goto@bound the loop@may_goto +0
6.9@addr_space_cast@@r1 = addr_space_cast(r1, 1, 0)
6.15@load-acquire and store-release@@.quad 0x00000100000010d3
6.19@gotox@compile with -fno-jump-tables@.quad 0x000000000000010d
7.2@arguments on the stack@pass at most five@.byte 0x7b, 0x1b, 0xf8, 0xff, 0, 0, 0, 0 # *(u64 *)(r11 - 8) = r1
5.1@jumps of 32 bits@@if w1 < 5 goto +0
END
# Old verifiers look at all instructions first: a dead one counts as well.
compile since <<'EOS'
const volatile int enabled;
int count;
SEC("raw_tp") int fetches(void *ctx) { return enabled ? __sync_fetch_and_add(&count, 1) : 0; }
EOS
since 5.12 'there are no atomic operations other than addition, which' 'compile with -mcpu=v2'
compile since -mcpu=v4 <<'EOS'
SEC("raw_tp") int divides(int *ctx) { return ctx[0] / ctx[1]; }
SEC("raw_tp") int adds(unsigned *ctx) { return ctx[0] + ctx[1]; }
EOS
since 6.6 'there are no instructions of -mcpu=v4, which' 'compile with -mcpu=v3'
fits 'dividesX adds+' since.o plain.btf --release 6.1.0
core 0 check since.o plain.btf --release 5.14.0-503.el9 # Red Hat's have parts of later releases
says 'not known of plain.btf'
compile far -mcpu=v4 <<<'SEC("raw_tp") __attribute__((naked)) int jumps(int *ctx) { asm volatile("gotol l0; l0: r0 = 0; exit"); }'
core 1 check far.o plain.btf --release 5.15.0
says 'error: there are no gotol, which came with Linux 6.6 in plain.btf'
core 0 check far.o plain.btf --release 6.1.0 # Updates of 6.1 have it
says 'not known of plain.btf: gotol'
says 'only a load on that kernel can tell'
cp plain.btf other.btf
core 0 check far.o plain.btf other.btf
says 'not known of 2 of 2 kernels: gotol'
says '>>> these are 2 kernels: plain.btf, other.btf'
core 0 check far.o plain.btf --release 6.6.0
[[ ! -s core.log ]] || fail "$(<core.log)"

# ---- programs and functions

compile since <<<'static long visit(__u32 i, void *data) { return 0; } const volatile int off;
SEC("tc") int loops(void *ctx) { return off ? bpf_loop(2, visit, 0, 0) : 1; }' # wherever the address is
since 5.13 'there are no callbacks, which'
compile since <<<'SEC("xdp.frags") int frags(void *ctx) { return 2; }'
since 5.18 'there are no xdp.frags programs, which'
compile since <<<'struct my_ops { int (*run)(int value); };
SEC("struct_ops/run") int run(unsigned long long *args) { return 0; }
SEC(".struct_ops.link") struct my_ops links = {.run = (void *)run};'
since 6.4 'section .struct_ops.link' 'put it into .struct_ops'
compile since <<<'struct my_ops { int (*run)(int value); };
SEC("struct_ops.s/run") int run(unsigned long long *args) { return 0; }
SEC(".struct_ops") struct my_ops ops = {.run = (void *)run};'
since 6.3 'there are no struct_ops programs that sleep, which'

# From Linux 5.6 on a global function is verified on its own, with pointers from 5.12 on.
compile since <<'EOS'
struct pair { int a, b; };
__noinline int sum(int start, struct pair *pair) { return pair ? start + pair->a : 0; }
__noinline int length(struct xdp_md *ctx) { return ctx->data_end - ctx->data; }
__noinline int tagged(void *ctx __attribute__((btf_decl_tag("arg:ctx")))) { return ctx != 0; }
__hidden __noinline int hidden(int *number) { return number ? *number : 0; }
static __noinline int local(int *number) { return number ? *number : 0; }
SEC("xdp") int sums(struct xdp_md *ctx) { struct pair pair = {1, 2}; return sum(1, &pair); }
SEC("xdp") int measures(struct xdp_md *ctx) { return length(ctx) + tagged(ctx); }
SEC("xdp") int hides(struct xdp_md *ctx) { int number = 1; return hidden(&number) + local(&number); }
EOS
since 5.12 'pointers as arguments of global functions' 'make sum static, or __hidden if other files call it'
fits 'sumsX measures+ hides+' since.o plain.btf --release 5.10.0
fits 'sums+ measures+ hides+' since.o plain.btf --release 5.4.0
kernel bare bare <<<'int x;'
core 0 check since.o bare.btf
says 'pointers as arguments of global functions'

# What is to run when a program throws. Before kernels knew it, no loader finds the callback, which is in a tag.
compile caught <<'EOS'
__noinline int on_throw(unsigned long long cookie) { asm volatile(""); return cookie; }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:on_throw"))) int counts(struct xdp_md *ctx) { return 2; }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:on_throw"))) int calls(struct xdp_md *ctx) { return on_throw(1); }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:absent"))) int loses(struct xdp_md *ctx) { return 2; }
SEC("xdp") int passes(struct xdp_md *ctx) { return 2; }
EOS
fits 'countsX calls+ losesX passes+' caught.o plain.btf --release 6.6.0
says 'error: callbacks of exceptions came with Linux 6.7 in plain.btf'
says '>>> drop the tag exception_callback'
for release in 5.15 6.7; do fits 'counts+ calls+ loses+ passes+' caught.o plain.btf --release $release.0; done

# ---- maps and variables

compile since <<<'int seen SEC(".percpu.more"); __noinline int count(void) { return seen++; }
SEC("raw_tp") int counts(void *ctx) { return count(); }
SEC("raw_tp") int passes(void *ctx) { return 0; }'
since 7.3 'variables in section .percpu.more' 'put them into a map of type percpu_array'
fits 'countsX passes+' since.o plain.btf --release 7.2.0
while IFS='|' read -r text definition; do
  compile since <<<"struct { __uint(type, BPF_MAP_TYPE_$definition } map SEC(\".maps\");
SEC(\"xdp\") int prog(struct xdp_md *ctx) { return (long)&map == 5; }"
  since "${text##* }" "map map of type ${text% came*}"
done <<'END'
devmap has a value of 8 bytes, which came with Linux 5.8|DEVMAP); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 8);
percpu_cgroup_storage has a value of 8192 bytes, which came with Linux 5.15|PERCPU_CGROUP_STORAGE); __type(key, struct bpf_cgroup_storage_key); __uint(value_size, 8192);
lru_hash has a key of 513 bytes, which came with Linux 5.11|LRU_HASH); __uint(max_entries, 1); __uint(key_size, 513); __type(value, int);
array has BPF_F_MMAPABLE, which came with Linux 5.5|ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_MMAPABLE);
END
