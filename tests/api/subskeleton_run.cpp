// The same in C++, where the struct has functions as well
#include "subskeleton_run.c"

[[maybe_unused]] static meter* (*const open_meter)(const bpf_object*) = meter::open;
[[maybe_unused]] static void (*const destroy_meter)(meter*) = meter::destroy;
