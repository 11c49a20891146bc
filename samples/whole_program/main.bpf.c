#include "walk.h"

char LICENSE[] SEC("license") = "GPL";
__u32 result;

SEC("syscall") int hash_of_ancestors(void* ctx) {
  struct task_struct* task = bpf_get_current_task_btf();
  result = mix(mix(1, ancestor_pid(task, 0)), ancestor_pid(task, 2));
  return 0;
}
