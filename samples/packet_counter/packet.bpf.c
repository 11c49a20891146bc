// A library of global functions: reads packets and keeps counters. It knows no map.
#include "vmlinux.h"

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "packet_counter.h"

enum { ETHERTYPE_IPV4 = 0x0800 };

// The destination port of a TCP or UDP header, whose first four bytes are alike.
static __u16 destination_port(const struct iphdr* ip, const void* end) {
  const struct udphdr* ports = (const void*)ip + ip->ihl * 4;
  if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP) return 0;
  return (const void*)(ports + 1) <= end ? bpf_ntohs(ports->dest) : 0;
}

// Fills in `flow` from an Ethernet frame; 0 where it is not IPv4.
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

// A program that links this library may define its own.
__weak int is_welcome(struct flow* flow) {
  return flow != NULL;
}

int add_packet(struct counter* counter, __u64 bytes) {
  if (!counter) return 0;
  __sync_fetch_and_add(&counter->packets, 1);
  __sync_fetch_and_add(&counter->bytes, bytes);
  return 1;
}

// Counts packets by size. The program here does not: --gc-sections drops this, and the counters.
int count_size(__u64 bytes) {
  return add_packet(&by_size[bytes / 64 % 64], bytes);
}
