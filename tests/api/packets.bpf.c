// Half of a program that loads and runs: settings, counters, a map
#include <bpf/bpf_helpers.h>

#include "skeleton_test.h"

const volatile int step = 1;
const volatile enum mode mode = MODE_COUNT;
const volatile struct point origin = {1, 2};
const volatile char greeting[6] = "hello";

__u64 runs;
struct point last;
unsigned char flags[3];
long long wide __attribute__((aligned(32)));
static int secret;
int limits[2][3] = {{1, 2, 3}, {4, 5, 6}};
struct {
  short a;
  union {
    int b;
    unsigned char c[4];
  };
} nested;
void* pointer;
int (*function)(int, const char*);

extern long tally(long n);

SEC("socket")
int count_packet(struct __sk_buff* skb) {
  runs += step;
  secret++;
  last.x = origin.x + mode;
  last.y = tally(skb->len);
  flags[1] = greeting[0];
  wide += limits[1][2];
  return secret;
}

SEC("?raw_tp/sys_enter")
int never_loaded(void* ctx) {
  return 0;
}

char _license[] SEC("license") = "GPL";
