/* What the programs and the library share. */
#ifndef AGENT_H
#define AGENT_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct policy {
  __u32 id;
  __u32 flags;
#if KERNEL >= 515
  __u64 cookie;
#endif
};

struct event {
  __u64 time;
  __u32 pid;
  __u32 policy;
};

int policy_flags(__u32 pid);
int emit(struct event* event);

#endif
