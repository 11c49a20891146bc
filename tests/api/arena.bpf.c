// An arena with variables
#include <bpf/bpf_helpers.h>

#define __arena __attribute__((address_space(1)))

struct {
  __uint(type, 33 /* BPF_MAP_TYPE_ARENA */);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 16);
} pages SEC(".maps");

int __arena first = 3;
long __arena table[4] = {1};
int plain;

SEC("syscall")
int prog(void* ctx) {
  void* keep = &pages;
  asm volatile("" : "+r"(keep));
  first += plain;
  table[1] = first;
  return 0;
}

char _license[] SEC("license") = "GPL";
