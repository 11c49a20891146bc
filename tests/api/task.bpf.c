// A program whose CO-RE relocation reads a member of a kernel's struct
#include <bpf/bpf_helpers.h>

struct task {
  int pid;
} __attribute__((preserve_access_index));

SEC("raw_tp") int pid_of(struct task* task) {
  return task->pid;
}

char _license[] SEC("license") = "GPL";
