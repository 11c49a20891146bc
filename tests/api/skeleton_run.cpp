// The same object with the class that `bpfskel --cpp` writes
#include <bpf/bpf.h>

#include <cstdio>
#include <cstring>

#include "skeleton_test.h"
// SKELETON's header needs the types above.
#include SKELETON

namespace {

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  failures++;
}

int silent(libbpf_print_level, const char*, va_list) {
  return 0;
}

}  // namespace

int main() {
  libbpf_set_print(silent);
  packets_skel skel = packets_skel::open();
  check(static_cast<bool>(skel), "opens");
  if (!skel) return 1;
  skel->rodata->step = 7;
  packets_skel moved = std::move(skel);
  check(!skel, "moved from: empty");
  int err = moved.load();
  if (err == -EPERM || err == -ENOSYS) {
    std::printf("SKIPPED: bpf() is not permitted here: %s\n", std::strerror(-err));
    return failures ? 1 : 77;
  }
  check(err == 0, "loads");
  char packet[64] = {};
  LIBBPF_OPTS(bpf_test_run_opts, opts);
  opts.data_in = packet;
  opts.data_size_in = sizeof packet;
  check(bpf_prog_test_run_opts(bpf_program__fd(moved->progs.count_packet), &opts) == 0, "runs");
  check(moved->bss->runs == 7, "the global has what the setting says");
  moved.detach();

  struct packets* raw = packets::open();
  check(raw && raw->data_custom->custom == 77, "the struct's own functions");
  packets::destroy(raw);
  if (failures == 0) std::puts("ok");
  return failures ? 1 : 0;
}
