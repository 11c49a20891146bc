/* A program in user space that uses the skeleton: opens the BPF program and describes it. */
#include <linux/types.h>
#include <stdio.h>

#include "filter.skel.h"

int main(void) {
  struct filter* skel = filter__open();
  if (!skel) {
    perror("filter__open");
    return 1;
  }
  printf("program %s of section %s, classes up to %d\n", bpf_program__name(skel->progs.filter),
         bpf_program__section_name(skel->progs.filter), skel->rodata->largest_class);
  filter__destroy(skel);
  return 0;
}
