// The same in C++, where the struct has functions as well, and with the class that `bpfskel --cpp`
// writes
#define main run_in_c
#include "skeleton_run.c"
#undef main

int main() {
  libbpf_set_print(nullptr);
  packets_skel skel = packets_skel::open();
  CHECK(static_cast<bool>(skel));
  if (!skel) return 1;
  skel->rodata->step = 7;
  packets_skel moved = std::move(skel);
  CHECK(!skel);
  int err = moved.load();
  CHECK(err == 0 || err == -EPERM || err == -ENOSYS);
  if (err == 0) {
    run(moved.get(), 1);
    CHECK(moved->bss->runs == 7);
    moved.detach();
  }
  struct packets* raw = packets::open();
  CHECK(raw && raw->data_custom->custom == 77);
  packets::destroy(raw);
  return run_in_c();
}
