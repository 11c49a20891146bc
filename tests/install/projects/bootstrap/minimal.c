#include <unistd.h>

#include "minimal.skel.h"

int main(void) {
  struct minimal_bpf* skel = minimal_bpf__open();
  if (!skel) return 1;
  skel->bss->my_pid = getpid();
  minimal_bpf__destroy(skel);
  return 0;
}
