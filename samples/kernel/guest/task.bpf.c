// Reads the current task with CO-RE relocations, for programs in other files.
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "guest.h"

// A field that this kernel does not have.
struct task_struct___other {
  int no_such_field;
} __attribute__((preserve_access_index));

struct report result;

__attribute__((noinline)) int read_task(void) {
  struct task_struct* task = (void*)bpf_get_current_task();

  result.pid = BPF_CORE_READ(task, pid);
  result.parent_pid = BPF_CORE_READ(task, real_parent, pid);
  BPF_CORE_READ_STR_INTO(&result.comm, task, comm);
  result.own_fields = bpf_core_field_exists(task->pid) +
                      bpf_core_field_exists(((struct task_struct___other*)task)->no_such_field);
  result.task_size = bpf_core_type_size(struct task_struct);
  return result.pid;
}
