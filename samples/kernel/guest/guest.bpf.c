// Programs that need the types of the running kernel: for CO-RE relocations, for kfuncs and
// per-CPU variables, and for a traced function.
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "guest.h"

extern struct report result;
int read_task(void);

extern struct task_struct* bpf_task_from_pid(int pid) __ksym;
extern void bpf_task_release(struct task_struct* task) __ksym;
extern const struct rq runqueues __ksym;
// From bpf_testmod, a module of another tree.
extern long bpf_kfunc_call_test4(signed char a, short b, int c, long d) __ksym;

SEC("syscall") int look(struct report* report) {
  int pid = read_task();
  struct task_struct* task = bpf_task_from_pid(pid);
  struct rq* queue = bpf_per_cpu_ptr(&runqueues, bpf_get_smp_processor_id());

  if (task) {
    result.kfunc_pid = BPF_CORE_READ(task, pid);
    bpf_task_release(task);
  }
  result.sum = bpf_kfunc_call_test4(-3, 30, 200, 1000);
  result.cpu = queue ? BPF_CORE_READ(queue, cpu) : -1;
  *report = result;
  return 0;
}

SEC("fentry/bpf_fentry_test1") int BPF_PROG(trace, int a) {
  result.argument = a;
  return 0;
}

// From the module nf_conntrack.
struct bpf_ct_opts___local {
  s32 netns_id;
  s32 error;
  u8 l4proto;
  u8 dir;
  u8 reserved[2];
};
extern struct nf_conn* bpf_xdp_ct_lookup(struct xdp_md* ctx, struct bpf_sock_tuple* tuple,
                                         u32 tuple_size, struct bpf_ct_opts___local* opts,
                                         u32 opts_size) __ksym;
extern void bpf_ct_release(struct nf_conn* connection) __ksym;

SEC("xdp") int lookup(struct xdp_md* ctx) {
  struct bpf_sock_tuple tuple = {};
  struct bpf_ct_opts___local opts = {.netns_id = -1, .l4proto = 17};

  struct nf_conn* found = bpf_xdp_ct_lookup(ctx, &tuple, sizeof(tuple.ipv4), &opts, sizeof(opts));
  if (found) bpf_ct_release(found);
  result.conntrack_error = opts.error;
  return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
