// The results of the programs, which the loader checks.
#pragma once

struct report {
  int pid;              ///< of the current task, by a CO-RE relocation of the field
  int parent_pid;       ///< of its parent, through a pointer
  char comm[16];        ///< its name
  int own_fields;       ///< how many of two fields exist: 1
  int task_size;        ///< sizeof(struct task_struct) in this kernel
  int kfunc_pid;        ///< of the task that a kfunc finds by the pid
  int cpu;              ///< the number in the CPU's run queue
  int argument;         ///< of a traced function
  int sum;              ///< from a kfunc of a module of another tree
  int conntrack_error;  ///< of a module's kfunc for a connection that does not exist
};
