// An object with a need of each kind, for needs.sh.
// The last program uses the others.
// clang-format off
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
// clang-format on

struct task {
  int pid;
};
struct other {
  long value;
};

extern int bpf_known(struct task* task, unsigned long flags) __ksym;
extern int bpf_known___flavor(struct other* task, const int flags) __ksym;
extern int bpf_other(struct task* task) __ksym;
extern int bpf_other___weak(struct task* task) __ksym __weak;
extern int bpf_knwon(struct task* task) __ksym;
extern int bpf_absent(void) __ksym __weak;
extern const int known_variable __ksym;
extern const int other_variable __ksym __weak;
extern const int absent_variable __ksym __weak;
extern const void any_symbol __ksym;
extern const void weak_symbol __ksym __weak;

extern int LINUX_KERNEL_VERSION __kconfig;
extern _Bool LINUX_HAS_BPF_COOKIE __kconfig;
extern int LINUX_LATER __kconfig __weak;
extern int LINUX_NEEDED __kconfig;
extern int CONFIG_HZ __kconfig;
extern char CONFIG_SMALL __kconfig;
extern _Bool CONFIG_BPF __kconfig;
extern char CONFIG_BPF_AS_CHAR __kconfig;
extern enum libbpf_tristate CONFIG_MODULE __kconfig;
extern _Bool CONFIG_MODULE_AS_BOOL __kconfig;
extern const char CONFIG_NAME[8] __kconfig;
extern _Bool CONFIG_NAME_AS_BOOL __kconfig;
extern _Bool CONFIG_BPG __kconfig;
extern _Bool CONFIG_NUMBER_AS_BOOL __kconfig;
extern enum libbpf_tristate CONFIG_NUMBER_AS_TRISTATE __kconfig;
extern int CONFIG_YES_AS_NUMBER __kconfig;
extern struct task CONFIG_AS_STRUCT __kconfig;
extern _Bool CONFIG_ABSENT __kconfig __weak;

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, int);
} counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} events SEC(".maps");

int sum;

SEC("fentry/do_unlinkat")
int on_unlink(void* ctx) {
  sum += bpf_known(ctx, 1) + bpf_known___flavor(ctx, 2) + bpf_other(ctx) + bpf_knwon(ctx);
  if (bpf_other___weak) sum += bpf_other___weak(ctx);
  if (bpf_absent) sum += bpf_absent();
  sum += known_variable + *(int*)&other_variable + *(int*)&absent_variable + (long)&any_symbol +
         (long)&weak_symbol;
  sum += LINUX_KERNEL_VERSION + LINUX_HAS_BPF_COOKIE + LINUX_LATER;
  return 0;
}

SEC("fentry/vmlinux:do_unlinkta")
int on_misspelled(void* ctx) {
  sum += CONFIG_HZ + CONFIG_SMALL + CONFIG_BPF + CONFIG_BPF_AS_CHAR + CONFIG_MODULE +
         CONFIG_MODULE_AS_BOOL;
  sum += LINUX_NEEDED + CONFIG_NUMBER_AS_BOOL + CONFIG_NUMBER_AS_TRISTATE;
  sum += CONFIG_YES_AS_NUMBER + CONFIG_AS_STRUCT.pid;
  sum += CONFIG_NAME[0] + CONFIG_NAME_AS_BOOL + CONFIG_BPG + CONFIG_ABSENT;
  return 0;
}

SEC("tp_btf/sched_switch")
int on_switch(void* ctx) {
  return 0;
}

SEC("raw_tp/sched_weitch")
int on_raw(void* ctx) {
  return 0;
}

SEC("iter/task")
int each_task(void* ctx) {
  return 0;
}

SEC("fexit")
int set_later(void* ctx) {
  return 0;
}

SEC("lsm/file_open")
int on_open(void* ctx) {
  return 0;
}

SEC("?fentry/absent_function")
int not_loaded(void* ctx) {
  return 0;
}

SEC("xdp")
int packets(void* ctx) {
  long word;
  bpf_probe_read_kernel(&word, sizeof word, ctx);  // libbpf calls bpf_probe_read instead
  return XDP_PASS;
}

struct tcp_congestion_ops___old {
  void (*init)(void* sk);
  void (*pkts_acked)(void* sk);
  void (*release)(void* sk);
  unsigned (*ssthresh)(void* sk);
  int flags;
  int min_rt;
  int unset;
  int bits : 3;
  int kind;
  void (*data)(void* sk);
};

SEC("struct_ops/init")
void on_init(void* ctx) {}

SEC("struct_ops/pkts_acked")
void on_acked(void* ctx) {}

SEC(".struct_ops")
struct tcp_congestion_ops___old my_ops = {
    .init = (void*)on_init,
    .pkts_acked = (void*)on_acked,
    .flags = 1,
    .min_rt = 2,
    .data = (void*)on_init,
};

struct sched_ext_ops {
  void (*init)(void* sk);
};

SEC(".struct_ops")
struct sched_ext_ops no_ops = {.init = (void*)on_init};

struct halfway_ops {
  void (*init)(void* sk);
};

SEC(".struct_ops")
struct halfway_ops half = {.init = (void*)on_init};

struct unrelated_ops {
  void (*init)(void* sk);
};

SEC(".struct_ops")
struct unrelated_ops unrelated = {.init = (void*)on_init};

// Each value that the loader writes is that for the type. Else this calls a helper that the kernel
// lacks.
SEC("xdp")
int values(void* ctx) {
  if (LINUX_KERNEL_VERSION == 0x60105 && !LINUX_HAS_BPF_COOKIE && !LINUX_LATER &&
      CONFIG_HZ == 250 && CONFIG_BPF == 1 && CONFIG_BPF_AS_CHAR == 'y' &&
      CONFIG_MODULE == TRI_MODULE && !CONFIG_ABSENT && !bpf_absent && !bpf_other___weak)
    return XDP_PASS;
  return bpf_ktime_get_ns();
}

char _license[] SEC("license") = "GPL";
