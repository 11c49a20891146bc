// The other half: a function that uses a map, and variables in sections that packets.bpf.c has
// as well.
#include <bpf/bpf_helpers.h>

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 2);
  __type(key, __u32);
  __type(value, __u64);
} tallies SEC(".maps");

const volatile long factor = 2;
__u64 calls;
int custom SEC(".data.custom") = 77;

__attribute__((noinline)) long tally(long n) {
  __u32 key = 1;
  __u64* slot = bpf_map_lookup_elem(&tallies, &key);
  if (slot) *slot += n;
  calls++;
  custom++;
  return n * factor;
}

char _license[] SEC("license") = "GPL";
