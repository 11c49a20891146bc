#include "walk.h"

int ancestor_pid(struct task_struct* task, int levels) {
  for (int i = 0; i < 4 && i < levels; ++i) task = task->real_parent;
  return task->pid;
}
