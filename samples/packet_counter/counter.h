// What the kernel's side counts and the loader reads.
#pragma once

struct counter {
  unsigned long long packets;
  unsigned long long bytes;
};
