// A kernel of a few types; only its BTF matters. It has what needs.bpf.c needs, and
// variations of it.
enum bpf_func_id {
  BPF_FUNC_unspec,
  BPF_FUNC_map_lookup_elem,
  BPF_FUNC_probe_read = 4,
  __BPF_FUNC_MAX_ID
};
enum bpf_map_type { BPF_MAP_TYPE_UNSPEC, BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_STRUCT_OPS = 26 };
enum bpf_prog_type {
  BPF_PROG_TYPE_XDP = 6,
  BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
  BPF_PROG_TYPE_TRACING = 26,
  BPF_PROG_TYPE_STRUCT_OPS = 27
};

enum bpf_func_id helpers;
enum bpf_map_type map_types;
enum bpf_prog_type program_types;

struct task {
  int pid;
};
typedef unsigned long flags_t;

struct tcp_congestion_ops {
  void (*init)(void* sk);
  long flags;
  unsigned (*ssthresh)(void* sk);
  int min_rtt;
  int bits;
  struct task kind;
  int* data;
};
struct bpf_struct_ops_tcp_congestion_ops {
  int state;
  struct tcp_congestion_ops data;
} congestion_ops;

struct bpf_struct_ops_halfway_ops {
  int state;
} halfway;
struct unrelated_ops {
  void (*init)(void* sk);
} unrelated;
struct bpf_struct_ops_unrelated_ops {
  int state;
} unrelated_ops;

typedef void (*btf_trace_sched_switch)(void*, int);
btf_trace_sched_switch trace_sched_switch;

int known_variable;
struct task other_variable;

int bpf_known(struct task* task, flags_t flags) {
  return task->pid + (int)flags;
}
int bpf_other(struct task* task, int more) {
  return task->pid + more;
}
int bpf_iter_task(struct task* task) {
  return task->pid;
}
struct bpf_iter__task {
  struct task* task;
};
int run_iterator(struct bpf_iter__task* context) {
  return bpf_iter_task(context->task);
}
int do_unlinkat(int dfd) {
  return dfd;
}
