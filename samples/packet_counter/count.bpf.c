// The program: counts packets by protocol, and by the task that runs when they arrive. It
// defines no maps or variables; those are in state.bpf.c.
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "packet_counter.h"

char LICENSE[] SEC("license") = "GPL";

// Overrides the library's weak is_welcome(), which welcomes every packet.
int is_welcome(struct flow* flow) {
  return flow && flow->port != dropped_port;
}

// Counts a packet for the process that runs on this CPU, and stores the parent of that process.
static void count_task(__u64 bytes) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task();
  const __u32 pid = BPF_CORE_READ(task, tgid);
  last_parent = BPF_CORE_READ(task, real_parent, tgid);

  const struct counter none = {};
  bpf_map_update_elem(&by_task, &pid, &none, BPF_NOEXIST);
  add_packet(bpf_map_lookup_elem(&by_task, &pid), bytes);
}

SEC("xdp")
int count_packet(struct xdp_md* ctx) {
  struct flow flow = {};
  if (!read_flow(ctx, &flow)) return XDP_PASS;
  if (!is_welcome(&flow)) return XDP_DROP;

  const __u64 bytes = ctx->data_end - ctx->data;
  const __u32 protocol = flow.protocol;
  add_packet(bpf_map_lookup_elem(&by_protocol, &protocol), bytes);
  add_packet(&total, bytes);
  count_task(bytes);
  return XDP_PASS;
}
