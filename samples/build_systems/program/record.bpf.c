// The library: counts packets by size.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "record.h"
#include "sizes.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, SIZES);
  __type(key, __u32);
  __type(value, __u64);
} sizes SEC(".maps");

__u64 recorded;

__attribute__((noinline)) int record(unsigned bytes) {
  __u32 size_class = 0;
  while (size_class < SIZES - 1 && bytes >= 64U << size_class) size_class++;
  __u64* count = bpf_map_lookup_elem(&sizes, &size_class);
  if (count) __sync_fetch_and_add(count, 1);
  recorded++;
  return size_class;
}
