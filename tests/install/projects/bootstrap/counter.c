#include "counter.h"

#include "counter.skel.h"

int main(void) {
  struct counter_bpf* skel = counter_bpf__open();
  if (!skel) return 1;
  int is_seven = skel->rodata->min_duration_ns == 7 && skel->maps.rb && skel->progs.handle_exit;
  counter_bpf__destroy(skel);
  return is_seven ? 0 : 1;
}
