// Replaces vmlinux.h if the running kernel has no BTF: has just the types that the packet
// counter needs. CO-RE finds the real layouts when the program is loaded.
#pragma once

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u16 __sum16;
typedef __u32 __wsum;

enum { false, true };
#define NULL ((void*)0)

enum bpf_map_type { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2 };
enum { BPF_ANY, BPF_NOEXIST };
enum xdp_action { XDP_ABORTED, XDP_DROP, XDP_PASS };
enum { IPPROTO_TCP = 6, IPPROTO_UDP = 17 };

struct xdp_md {
  __u32 data;
  __u32 data_end;
};

struct ethhdr {
  __u8 h_dest[6];
  __u8 h_source[6];
  __be16 h_proto;
} __attribute__((packed));

struct iphdr {
  __u8 ihl : 4;
  __u8 version : 4;
  __u8 tos;
  __be16 tot_len, id, frag_off;
  __u8 ttl;
  __u8 protocol;
  __sum16 check;
  __be32 saddr, daddr;
};

struct udphdr {
  __be16 source, dest, len;
  __sum16 check;
};

struct task_struct {
  int tgid;
  struct task_struct* real_parent;
};

#pragma clang attribute pop
