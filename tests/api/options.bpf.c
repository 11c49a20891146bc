// An object on which each option of a link has an effect
#include <bpf/bpf_helpers.h>

struct event {
  int pid;
  long when;
};
struct behind {
  long values[4];
};
struct holder {
  struct behind* behind;
};
struct kept {
  int a;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, int);
  __type(value, struct holder);
} unused_map SEC(".maps");

char _license[] SEC("license") = "GPL";
const volatile int setting = 1;
extern int shared;
int take(struct event* event);
static volatile int hits;

int unused(struct kept* kept) {
  return kept ? kept->a : 0;
}

__hidden __attribute__((noinline)) int hidden(int x) {
  return x * 3 + hits;
}

SEC("socket") int prog(struct __sk_buff* ctx) {
  struct event event = {.pid = (int)ctx->len};
  return hidden(shared) + take(&event);
}
