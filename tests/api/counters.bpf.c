// Half of a program of two files: maps of several kinds, variables, externs
#include <bpf/bpf_helpers.h>

struct key {
  __u32 family;
  __u32 port;
};

struct value {
  __u64 packets;
  __u64 bytes[4];
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 128);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(numa_node, 7);
  __type(key, struct key);
  __type(value, struct value);
} counters SEC(".maps");

struct inner {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 4);
  __type(key, __u32);
  __type(value, __u64);
};

struct inner inner_one SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 3);
  __uint(key_size, 4);
  __array(values, struct inner);
} outer SEC(".maps") = {
    .values = {[2] = &inner_one},
};

const volatile int limit = 10;
const volatile struct {
  char tag[3];
  long scale;
} settings = {"ab", 4};
long total = 5;
static int seen;
__u64 per_port[8] SEC(".bss.ports");
__u64 per_cpu[3] SEC(".percpu.packets");

extern unsigned long CONFIG_HZ __kconfig;
extern int bpf_dynptr_is_null(const void* p) __ksym __weak;
extern long shared_state;
long helper(long n);

SEC("xdp")
int count_packets(struct xdp_md* ctx) {
  __u64* slot = &per_port[ctx->ingress_ifindex & 7];
  total += helper(limit) + settings.scale + shared_state;
  *slot += 1;
  seen++;
  if (bpf_dynptr_is_null) total += CONFIG_HZ;
  return seen > limit ? XDP_DROP : XDP_PASS;
}

SEC("?fentry.s/bpf_fentry_test1")
int trace_it(void* ctx) {
  struct key key = {};
  return bpf_map_lookup_elem(&counters, &key) || bpf_map_lookup_elem(&outer, &key.port);
}

char _license[] SEC("license") = "GPL";
