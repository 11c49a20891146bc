// A BPF library: its users set and read its variables through its subskeleton.
#include <bpf/bpf_helpers.h>

#include "skeleton_test.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 2);
  __type(key, __u32);
  __type(value, __u64);
} readings SEC(".maps");

extern int LINUX_KERNEL_VERSION __kconfig;

const volatile long scale = 1;
const volatile struct point shift;
const volatile enum mode meter_mode = MODE_COUNT;
long bounds[2][3] = {{1, 2, 3}, {4, 5, 6}};
__weak int spare SEC(".data.custom") = 7;
static long hidden_calls;  // static: not shown
struct {
  long calls;
  int kernel;
} state;
struct {
  char tag;
} tags[3];
int (*function)(int, char*);

__noinline long meter(long n) {
  __u32 key = 1;
  __u64* slot = bpf_map_lookup_elem(&readings, &key);
  if (slot) *slot += n;
  state.calls = ++hidden_calls;
  state.kernel = LINUX_KERNEL_VERSION;
  tags[1].tag = 'm';
  spare++;
  return n * scale + shift.y + bounds[1][2] + meter_mode;
}

SEC("socket")
int reset_meter(void* ctx) {
  bounds[1][2] = 0;
  return 0;
}

char _license[] SEC("license") = "GPL";
