// Loads the linked packet counter, runs it on a few packets by BPF_PROG_TEST_RUN and prints
// its counters. It attaches nothing to an interface. Exit status 77: bpf() is not permitted
// here, or the kernel has no BTF.
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

#include "packet_counter.skel.h"

enum { NOT_PERMITTED = 77 };

struct packet {
  struct ethhdr ethernet;
  struct iphdr ip;
  struct udphdr ports;  // TCP's ports are at the same place
  char payload[64];
} __attribute__((packed));

static struct packet make_packet(int protocol, int port) {
  struct packet packet = {.ethernet = {.h_proto = htons(ETH_P_IP)}};
  packet.ip.version = 4;
  packet.ip.ihl = 5;
  packet.ip.protocol = protocol;
  packet.ip.saddr = htonl(0x0a000001);
  packet.ip.daddr = htonl(0x0a000002);
  packet.ports.dest = htons(port);
  return packet;
}

static int send_packet(const struct packet_counter* counter, int protocol, int port) {
  struct packet packet = make_packet(protocol, port);
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = &packet, .data_size_in = sizeof(packet));
  int error = bpf_prog_test_run_opts(bpf_program__fd(counter->progs.count_packet), &run);
  if (error) {
    fprintf(stderr, "BPF_PROG_TEST_RUN: %s\n", strerror(-error));
    return error;
  }
  printf("  protocol %2d, port %3d: %s\n", protocol, port, run.retval == 1 ? "dropped" : "passed");
  return 0;
}

static void print_counter(const char* name, const struct counter* counter) {
  printf("  %-12s %llu packets, %llu bytes\n", name, counter->packets, counter->bytes);
}

static int print_protocol(const struct packet_counter* counter, __u32 protocol, const char* name) {
  struct counter value;
  if (bpf_map_lookup_elem(bpf_map__fd(counter->maps.by_protocol), &protocol, &value)) return -errno;
  print_counter(name, &value);
  return 0;
}

// The ids are those of the initial namespace; in a container, this process has other ids.
static int print_task(const struct packet_counter* counter) {
  int map = bpf_map__fd(counter->maps.by_task);
  struct counter value;
  __u32 task;
  if (bpf_map_get_next_key(map, NULL, &task)) return -errno;
  if (bpf_map_lookup_elem(map, &task, &value)) return -errno;
  print_counter("a task", &value);
  printf("  CO-RE read from task_struct: that task is %u, a child of %u\n", task,
         counter->bss->last_parent);
  return 0;
}

static int run(const struct packet_counter* counter) {
  printf("Packets sent:\n");
  if (send_packet(counter, IPPROTO_UDP, 53) || send_packet(counter, IPPROTO_TCP, 443) ||
      send_packet(counter, IPPROTO_TCP, 443) || send_packet(counter, IPPROTO_TCP, 23)) {
    return 1;
  }
  printf("Counted:\n");
  const struct counter* total = &counter->bss->total;
  print_counter("total", total);
  if (print_protocol(counter, IPPROTO_UDP, "UDP") || print_protocol(counter, IPPROTO_TCP, "TCP") ||
      print_task(counter)) {
    return 1;
  }
  return total->packets == 3 && total->bytes == 3 * sizeof(struct packet) ? 0 : 1;
}

// Whether this process may load programs that use the kernel's types.
static bool permitted(void) {
  int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 4, 1, NULL);
  if (map < 0) {
    printf("Not run: the kernel does not permit bpf(): %s\n", strerror(errno));
    return false;
  }
  close(map);
  if (access("/sys/kernel/btf/vmlinux", R_OK)) {
    printf("Not run: the kernel has no BTF, which CO-RE needs\n");
    return false;
  }
  return true;
}

int main(void) {
  if (!permitted()) return NOT_PERMITTED;
  struct packet_counter* counter = packet_counter__open_and_load();
  if (!counter) {
    fprintf(stderr, "the linked object does not load: %s\n", strerror(errno));
    return 1;
  }
  int status = run(counter);
  packet_counter__destroy(counter);
  return status;
}
