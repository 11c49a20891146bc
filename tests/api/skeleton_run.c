/* A user-space program with a skeleton of bpfskel or bpftool: opens the program of packets.bpf.c
 * and tally.bpf.c, sets the variables that it reads, loads and runs it, and checks the variables
 * that it writes. Attaches nothing. */
#include <bpf/bpf.h>
#include <string.h>

#include "check.h"
#include "skeleton_test.h"
/* SKELETON's header needs the types above. */
#include SKELETON

enum {
  SENT = 64,       /* bytes of a packet */
  SEEN = SENT - 14 /* a socket filter sees it without its Ethernet header */
};

static void check_initial_values(const struct packets* skel) {
  CHECK(skel->rodata->step == 1);
  CHECK(skel->rodata->mode == MODE_COUNT);
  CHECK(strcmp((const char*)skel->rodata->greeting, "hello") == 0);
  CHECK(skel->rodata->origin.y == 2);
  CHECK(skel->rodata->factor == 2);
  CHECK(skel->data->limits[1][2] == 6);
  CHECK(skel->data_custom->custom == 77);
  CHECK(skel->bss->runs == 0);
}

static void check_results(const struct packets* skel, unsigned runs) {
  __u32 key = 1;
  __u64 tally = 0;

  CHECK(skel->bss->runs == 5 * runs);
  CHECK(skel->bss->last.x == 40 + MODE_DOUBLE);
  CHECK(skel->bss->last.y == 3 * SEEN);
  CHECK(skel->bss->flags[1] == 'H');
  CHECK(skel->bss->wide == 60 * (long)runs);
  CHECK(skel->bss->calls == runs);
  CHECK(skel->data_custom->custom == 77 + (int)runs);
  CHECK(bpf_map__lookup_elem(skel->maps.tallies, &key, sizeof key, &tally, sizeof tally, 0) == 0);
  CHECK(tally == SEEN * runs);
}

static void run(struct packets* skel, unsigned runs) {
  char packet[SENT] = {0};
  unsigned i;

  for (i = 1; i <= runs; i++) {
    LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof packet);
    CHECK(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.count_packet), &opts) == 0);
    CHECK(opts.retval == i);
  }
}

int main(void) {
  struct packets* skel;
  size_t size = 0;
  int err;

  libbpf_set_print(NULL);
  skel = packets__open();
  if (!skel) {
    perror("packets__open");
    return 1;
  }
  CHECK(strcmp(bpf_map__name(skel->maps.tallies), "tallies") == 0);
  CHECK(strcmp(bpf_program__name(skel->progs.never_loaded), "never_loaded") == 0);
  CHECK(memcmp(packets__elf_bytes(&size), "\177ELF", 4) == 0 && size > 1000);
  check_initial_values(skel);

  skel->rodata->step = 5;
  skel->rodata->mode = MODE_DOUBLE;
  skel->rodata->origin.x = 40;
  skel->rodata->factor = 3;
  memcpy((void*)skel->rodata->greeting, "Hello", 6);
  skel->data->limits[1][2] = 60;
  err = packets__load(skel);
  if (err == -EPERM || err == -ENOSYS) {
    printf("SKIPPED: bpf() is not permitted here: %s\n", strerror(-err));
    packets__destroy(skel);
    return failures ? 1 : SKIPPED;
  }
  CHECK(err == 0);
  if (err == 0) {
    run(skel, 3);
    check_results(skel, 3);
    packets__detach(skel);
  }
  packets__destroy(skel);
  packets__destroy(NULL);
  if (failures == 0) printf("ok\n");
  return failures ? 1 : 0;
}
