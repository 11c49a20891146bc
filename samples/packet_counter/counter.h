// The counters that the BPF program writes and the loader reads.
#pragma once

struct counter {
  unsigned long long packets;
  unsigned long long bytes;
};
