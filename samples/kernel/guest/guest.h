// What the programs found, for the loader to look at.
#pragma once

struct report {
  int pid;              ///< of the current task, by a CO-RE relocation of the field
  int parent_pid;       ///< through a pointer of it
  char comm[16];        ///< its name
  int own_fields;       ///< of two fields that are asked for one is there: 1
  int task_size;        ///< sizeof(struct task_struct) in this kernel
  int kfunc_pid;        ///< what a function of the kernel finds under the pid
  int cpu;              ///< the number that the CPU's run queue has of itself
  int argument;         ///< of a traced function
  int conntrack_error;  ///< what a function of a module says of a connection that is not there
};
