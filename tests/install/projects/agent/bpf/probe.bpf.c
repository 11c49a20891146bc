#include "agent.h"

extern __u64 emitted;

const volatile int verbosity = KERNEL;

SEC("tp/syscalls/sys_enter_openat")
int PROGRAM(void* ctx) {
  struct event event = {.pid = bpf_get_current_pid_tgid() >> 32};
  if (emitted > 1000 && !verbosity) return 0;
  event.policy = policy_flags(event.pid);
  return emit(&event);
}
