#include "agent.skel.h"

int main(void) {
  struct agent* skel = agent__open();
  if (!skel) return 1;
  int is_right = skel->rodata->verbosity == 61 && skel->bss->emitted == 0 &&
                 skel->progs.file_open && skel->maps.policies;
  agent__destroy(skel);
  return is_right ? 0 : 1;
}
