/* A library in a larger object, through the subskeleton that bpfskel or bpftool makes of the
 * library: sets the variables that the library reads, loads and runs the object, and checks the
 * variables that the library writes. Attaches nothing. The argument is an object without the
 * library. Also C++. */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "check.h"
#include "skeleton_test.h"
/* These headers need the types above. */
#include "metered.skel.h"
#include SKELETON

static void set_values(struct meter* library) {
  CHECK(*library->rodata.scale == 1);
  CHECK(*library->rodata.meter_mode == MODE_COUNT);
  CHECK((*library->data.bounds)[1][2] == 6);
  CHECK(*library->data_custom.spare == 7);
  CHECK(*library->bss.function == NULL);
  *library->rodata.scale = 10;
  library->rodata.shift->y = 5;
  *library->rodata.meter_mode = MODE_DOUBLE;
  (*library->data.bounds)[1][2] = 100;
}

static long run(const struct bpf_program* program) {
  char packet[64] = {0};
  LIBBPF_OPTS(bpf_test_run_opts, opts);
  opts.data_in = packet;
  opts.data_size_in = sizeof packet;
  CHECK(bpf_prog_test_run_opts(bpf_program__fd(program), &opts) == 0);
  return opts.retval;
}

static void check_results(const struct metered* program, const struct meter* library) {
  __u32 key = 1;
  __u64 reading = 0;

  CHECK(run(program->progs.count) == 3 * 10 + 5 + 100 + MODE_DOUBLE);
  CHECK(library->bss.state->calls == 1);
  CHECK(library->bss.state->kernel == *library->kconfig.LINUX_KERNEL_VERSION);
  CHECK(library->bss.state->kernel >= 0x50000);
  CHECK((*library->bss.tags)[1].tag == 'm');
  CHECK(*library->data_custom.spare == 8);
  CHECK(bpf_map__lookup_elem(library->maps.readings, &key, sizeof key, &reading, sizeof reading,
                             0) == 0);
  CHECK(reading == 3);
  CHECK(run(library->progs.reset_meter) == 0);
  CHECK((*library->data.bounds)[1][2] == 0);
}

static void check_missing(const char* path) {
  struct bpf_object* object = bpf_object__open_file(path, NULL);
  CHECK(object != NULL);
  errno = 0;
  CHECK(meter__open(object) == NULL);
  CHECK(errno == ESRCH);
  bpf_object__close(object);
}

int main(int argc, char** argv) {
  struct metered* program;
  struct meter* library;
  int err;

  if (argc != 2) return 2;
  libbpf_set_print(NULL);
  check_missing(argv[1]);
  program = metered__open();
  library = program ? meter__open(program->obj) : NULL;
  if (!library) {
    perror("meter__open");
    return 1;
  }
  CHECK(strcmp(bpf_map__name(library->maps.readings), "readings") == 0);
  CHECK(strcmp(bpf_program__name(library->progs.reset_meter), "reset_meter") == 0);
  set_values(library);
  err = metered__load(program);
  CHECK(err == 0 || err == -EPERM || err == -ENOSYS);
  if (err == 0) check_results(program, library);
  meter__destroy(library);
  meter__destroy(NULL);
  metered__destroy(program);
  if (failures) return 1;
  if (err != 0)
    printf("SKIPPED: bpf() is not permitted here: %s\n", strerror(-err));
  else
    printf("ok\n");
  return err != 0 ? SKIPPED : 0;
}
