// A program that is linked with the library meter.bpf.c
#include <bpf/bpf_helpers.h>

long meter(long n);

int own = 3;
long last;

SEC("socket")
int count(struct __sk_buff* skb) {
  last = meter(own);
  return last;
}

char _license[] SEC("license") = "GPL";
