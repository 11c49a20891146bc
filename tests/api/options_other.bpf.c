// What options.bpf.c refers to; with another layout, another type, or a pointer in data
#include <bpf/bpf_helpers.h>

struct event {
#ifdef CONFLICT
  int cpu;
#endif
  int pid;
  long when;
};

#if defined(CONFLICT) && CONFLICT == 2
long shared = 2;
#else
int shared = 2;
#endif

#ifdef POINTER
int* pointer = &shared;
int take(struct event* event) {
  return event ? event->pid + *pointer : 0;
}
#else
int take(struct event* event) {
  return event ? event->pid : 0;
}
#endif
