// The other half: definitions for counters.bpf.c, and a struct_ops
#include <bpf/bpf_helpers.h>

long shared_state = 3;

__attribute__((noinline)) long helper(long n) {
  return n + shared_state;
}

struct tcp_congestion_ops {
  void (*init)(void* sk);
  unsigned (*ssthresh)(void* sk);
  char name[16];
};

SEC("struct_ops/ssthresh")
unsigned my_ssthresh(unsigned long long* ctx) {
  return 2;
}

SEC(".struct_ops.link")
struct tcp_congestion_ops my_ops = {
    .ssthresh = (void*)my_ssthresh,
    .name = "mine",
};

char _license[] SEC("license") = "GPL";
