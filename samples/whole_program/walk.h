/* What the files share. */
#ifndef WALK_H
#define WALK_H
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* As much of the kernel's struct as the program needs; CO-RE finds the members. */
struct task_struct {
  int pid;
  struct task_struct* real_parent;
} __attribute__((preserve_access_index));

/* The process so many levels up. As a global function, the verifier would check it for any pointer,
 * and refuse it; hidden, it becomes static. */
__hidden int ancestor_pid(struct task_struct* task, int levels);

/* In mix.rs */
__u32 mix(__u32 hash, __u32 value);
#endif
