#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "counter.h"

extern const volatile int sample_every;
extern unsigned long long total;
extern struct event last;
int note(unsigned queue, unsigned long length);

SEC("xdp")
int count(struct xdp_md* ctx) {
  if (sample_every && ++total % sample_every == 0)
    last.length = note(ctx->rx_queue_index, ctx->data_end - ctx->data);
  return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
