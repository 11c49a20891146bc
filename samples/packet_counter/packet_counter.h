// Declarations that the files of the packet counter share: maps and variables of state.bpf.c,
// and functions of packet.bpf.c. Include vmlinux.h and bpf_helpers.h first.
#pragma once

#include "counter.h"

struct flow {
  __u32 source;  // IPv4 addresses in network byte order
  __u32 destination;
  __u16 port;     // destination port in host byte order, 0 if there is none
  __u8 protocol;  // an IPPROTO_ number
};

struct protocol_counters {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 256);
  __type(key, __u32);
  __type(value, struct counter);
};

struct task_counters {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, __u32);  // process id
  __type(value, struct counter);
};

extern struct protocol_counters by_protocol SEC(".maps");
extern struct task_counters by_task SEC(".maps");
extern struct counter total;
extern struct counter by_size[64];  // [n]: packets of 64 * n bytes and more
extern __u32 last_parent;
extern const volatile __u16 dropped_port;

int read_flow(struct xdp_md* ctx, struct flow* flow);
int is_welcome(struct flow* flow);
int add_packet(struct counter* counter, __u64 bytes);
int count_size(__u64 bytes);
