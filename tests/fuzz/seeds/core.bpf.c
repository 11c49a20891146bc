// CO-RE relocations of all kinds, some that the types of core_kernel.c do not answer, and guards.
char LICENSE[] SEC("license") = "GPL";
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inner {
  int a[4], b : 5, c : 12;
};
struct task {
  int pid;
  unsigned long state;
  struct {
    struct inner in;
    union {
      short s;
      signed char c[];
    };
  };
  struct task* parent;
};
struct task___new {
  unsigned int __state;
};
struct gone {
  int x;
};
#pragma clang attribute pop
enum phase { PHASE_A = 1, PHASE_B = -2 };
enum wide { WIDE = 0x100000000 };
typedef int (*callback)(struct task* task, enum phase phase);
extern int LINUX_KERNEL_VERSION __kconfig;
extern int CONFIG_HZ __kconfig __weak;
extern const int some_symbol __ksym __weak;
const volatile int enabled;
const volatile struct { int first, second; } limits;
long sum;

static __noinline long state_of(struct task* task, int is_new) {
  struct task___new* new_task = (void*)task;
  if (is_new) return BPF_CORE_READ(new_task, __state);
  return BPF_CORE_READ(task, state);
}

SEC("raw_tp/one") int one(struct task* task) {
  struct task___new* new_task = (void*)task;
  struct gone* gone = (void*)task;
  sum += state_of(task, bpf_core_field_exists(new_task->__state));
  sum += BPF_CORE_READ(task, parent, pid) + BPF_CORE_READ(task, in.a[2]);
  sum += BPF_CORE_READ_BITFIELD_PROBED(&task->in, b);
  sum += BPF_CORE_READ_BITFIELD(&task->in, c);
  sum += bpf_core_field_size(task->in.a) + bpf_core_field_offset(task->s);
  if (bpf_core_field_exists(gone->x)) sum += BPF_CORE_READ(gone, x);
  if (enabled || limits.second > 3) sum += BPF_CORE_READ(gone, x);
  return task->pid;
}
SEC("?raw_tp/two") int two(struct task* task) {
  if (bpf_core_type_exists(struct gone)) sum += bpf_core_type_size(struct gone);
  sum += bpf_core_type_matches(struct inner) + bpf_core_type_exists(callback);
  sum += bpf_core_type_matches(callback) + bpf_core_type_size(struct task);
  sum += bpf_core_type_id_kernel(struct task) + bpf_core_type_id_local(struct inner);
  sum += bpf_core_enum_value(enum wide, WIDE) + bpf_core_enum_value(enum phase, PHASE_A);
  if (bpf_core_enum_value_exists(enum phase, PHASE_B))
    sum += bpf_core_enum_value(enum phase, PHASE_B);
  if (LINUX_KERNEL_VERSION > 0x60000 && CONFIG_HZ == 250) sum += task->in.a[1];
  if (&some_symbol) sum += task->in.a[3];
  return 0;
}
