// The program: a socket filter that lets small packets pass.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "record.h"

const volatile int largest_class = 4;
extern __u64 recorded;

SEC("socket")
int filter(struct __sk_buff* skb) {
  int size_class = record(skb->len);
  return recorded > 0 && size_class <= largest_class ? skb->len : 0;
}

char _license[] SEC("license") = "GPL";
