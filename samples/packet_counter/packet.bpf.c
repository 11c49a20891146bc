// A library of global functions that read packets and update counters. It uses no maps.
#include "vmlinux.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "packet_counter.h"

enum { ETHERTYPE_IPV4 = 0x0800 };

// The destination port of a TCP or UDP header. Both begin with the same four bytes.
static __u16 destination_port(const struct iphdr* ip, const void* end) {
  const struct udphdr* ports = (const void*)ip + ip->ihl * 4;
  if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP) return 0;
  return (const void*)(ports + 1) <= end ? bpf_ntohs(ports->dest) : 0;
}

// Fills in `flow` from an Ethernet frame. Returns 0 if it is not IPv4.
int read_flow(struct xdp_md* ctx, struct flow* flow) {
  const void* data = (const void*)(long)ctx->data;
  const void* end = (const void*)(long)ctx->data_end;
  const struct ethhdr* ethernet = data;
  const struct iphdr* ip = (const void*)(ethernet + 1);
  if (!flow || (const void*)(ip + 1) > end) return 0;
  if (ethernet->h_proto != bpf_htons(ETHERTYPE_IPV4)) return 0;

  flow->source = ip->saddr;
  flow->destination = ip->daddr;
  flow->protocol = ip->protocol;
  flow->port = destination_port(ip, end);
  return 1;
}

// Weak: a program that links this library may define its own.
__weak int is_welcome(struct flow* flow) {
  return flow != NULL;
}

int add_packet(struct counter* counter, __u64 bytes) {
  if (!counter) return 0;
  __sync_fetch_and_add(&counter->packets, 1);
  __sync_fetch_and_add(&counter->bytes, bytes);
  return 1;
}

// Counts packets by size. This program does not use it: --gc-sections drops it and its counters.
int count_size(__u64 bytes) {
  return add_packet(&by_size[bytes / 64 % 64], bytes);
}
