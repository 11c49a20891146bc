/* What the program in the kernel and the one in user space share. */
#ifndef COUNTER_H
#define COUNTER_H

struct event {
  int pid;
  unsigned long long duration_ns;
};

#endif
