#!/bin/bash
# A function that takes a pointer, in another file than its caller: the kernel refuses the files as
# objects, and loads them as bitcode.
. "$(dirname "$0")/common.sh"
[[ -r /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no types'

compile a -flto <<'END'
struct task_struct { int pid; struct task_struct *real_parent; } __attribute__((preserve_access_index));
int parent_pid(struct task_struct *t, int depth);
char LICENSE[] SEC("license") = "GPL";
SEC("raw_tp/sched_switch") int prog(void *ctx) { return parent_pid(bpf_get_current_task_btf(), 3) == 7; }
END
compile b -flto <<'END'
struct task_struct { int pid; struct task_struct *real_parent; } __attribute__((preserve_access_index));
int parent_pid(struct task_struct *t, int depth)
{
  for (int i = 0; i < 4 && i < depth; ++i)
    t = t->real_parent;
  return t->pid;
}
END
for name in a b; do
  mv $name.o $name.bc
  compile ${name}_alone <$name.bpf.c
done
if ! "$BPFLINK" -q --lto-internalize a.bc b.bc -o whole.o 2>errors; then
  grep -q 'no library of LLVM' errors && skip "$(<errors)"
  fail "$(<errors)"
fi
llvm-objdump-19 -dr whole.o >text
! grep -q 'parent_pid' text || fail "not inlined: $(<text)"
[[ $(grep -c 'CO-RE.*task_struct::real_parent' text) == 3 ]] || fail "not three steps: $(grep CO-RE text)"
"$BPFLINK" -q a_alone.o b_alone.o -o parts.o
if "$BPF_RUN" parts.o &>ran; then fail 'the kernel takes the objects: this shows nothing'; fi
grep -q 'does not load' ran || run_object parts.o
run_object whole.o

# same_verdict loads|refused DEFINITION PROTOTYPE STATEMENTS: what stays global is called as its prototype says, whatever
# its body is, so that the callers have the code that they have as objects, and the kernel says the same of both.
same_verdict() {
  local form way
  for form in '' -flto; do
    # shellcheck disable=SC2086 # none, or one
    compile callee$form $form <<<"$2"
    # shellcheck disable=SC2086
    compile caller$form $form <<END_OF_FILE
struct pair { long a, b; };
$3;
int table[8] = {1};
SEC("socket") int prog(struct __sk_buff *ctx) { $4 }
END_OF_FILE
  done
  "$BPFLINK" -q --license GPL caller.o callee.o -o parts.o
  "$BPFLINK" -q --license GPL caller-flto.o callee-flto.o -o whole.o
  for way in parts whole; do
    if "$BPF_RUN" $way.o &>ran; then echo loads; else grep -q 'does not load' ran && echo refused; fi >verdict
    [[ $(<verdict) == "$1" ]] || fail "$3 as $way: $(<verdict): $(<ran)"
    llvm-objdump-19 -d --no-show-raw-insn -j socket $way.o | tail -n +3 >$way.code
  done
  diff parts.code whole.code || fail "$3: other code of the caller"
}
# an argument that is not used; the stores to what a pointer leads to; calls of the same arguments
same_verdict loads 'volatile int v; __noinline int f(int x, int y) { return x + v; }' 'int f(int x, int y)' \
  'return f(ctx->len, ctx->mark);'
same_verdict loads 'struct pair { long a, b; }; __noinline int f(struct pair *p, int x) { if (p && x > 3) p->a = 1; return x * x; }' \
  'int f(struct pair *p, int x)' 'struct pair p = {ctx->len, ctx->mark}; return f(&p, ctx->len);'
same_verdict loads '__noinline int f(int x) { return x * x; }' 'int f(int x)' 'int x = ctx->len; return f(x) + f(x);'
same_verdict loads '__noinline int f(int x) { return x * x; }' 'int f(int x)' 'f(3); return 1;'
# a result that is an argument, is one number, is in a range; that there is a result
same_verdict refused '__noinline int f(int x) { asm volatile(""); return x; }' 'int f(int x)' 'return table[f(ctx->len & 7)];'
same_verdict refused '__noinline int f(int x) { asm volatile("" ::"r"(x)); return 3; }' 'int f(int x)' 'return table[f(ctx->len)];'
same_verdict refused '__noinline unsigned f(unsigned x) { asm volatile(""); return x & 7; }' 'unsigned f(unsigned x)' \
  'unsigned i = f(ctx->len); return i < 8 ? 0 : *(int *)(long)i;'

# Both branches load from the packet. One load from either address has no bounds that a verifier knows.
bitcode swapped <<'END'
#include <linux/if_ether.h>
#include <linux/udp.h>
struct ports { __u16 from, to; __u32 flags; };
static __attribute__((noinline)) int read_ports(void *packet, __u64 offset, void *end, struct ports *ports)
{
  struct udphdr *udp = packet + offset;
  if ((void *)(udp + 1) > end) return 0;
  if (ports->flags & 1) {
    ports->from = udp->dest;
    ports->to = udp->source;
  } else {
    ports->from = udp->source;
    ports->to = udp->dest;
  }
  return 1;
}
SEC("xdp") int prog(struct xdp_md *ctx)
{
  void *packet = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
  struct ports ports = {.flags = ctx->rx_queue_index};
  struct ethhdr *eth = packet;
  if ((void *)(eth + 1) > end) return XDP_DROP;
  __u64 offset = sizeof *eth + (eth->h_dest[0] & 15);
  if (!read_ports(packet, offset, end, &ports)) return XDP_DROP;
  if (ports.from == 7 && !read_ports(packet, offset + 8, end, &ports)) return XDP_DROP;
  return ports.from + 3 * ports.to == 29 ? XDP_PASS : XDP_TX;
}
END
"$BPFLINK" -q swapped.bc -o swapped.o
run_object swapped.o
