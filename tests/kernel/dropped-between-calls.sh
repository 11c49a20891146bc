#!/bin/bash
# The link drops a weak function that lost. Its neighbours in the section call each other, take
# addresses of callbacks, and are called from other sections.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static __noinline unsigned first(unsigned x) { return x / 2 + 1; }
__weak __noinline unsigned loser(unsigned x) { return first(x) / 5 + first(x / 7); }
static __noinline unsigned second(unsigned x) { return first(x) * 3; }
static long add(__u32 index, long *sum) { *sum += second(index); return 0; }
__noinline unsigned all(unsigned x) {
  long sum = 0;
  bpf_loop(4, add, &sum, 0);
  return sum + second(x) + loser(x);
}
SEC("syscall") int prog(void *ctx) { return all(10) + first(4); }
EOF
compile b <<'EOF'
unsigned loser(unsigned x) { return x + 1000; }
EOF
# second(0..3) = 3 3 6 6, second(10) = 18, loser(10) = 1010, first(4) = 3
for order in "a.o b.o" "b.o a.o"; do
  link $order
  run 'prog()=1049'
done
