// For programs: what is done with memory that was freed.
#pragma once

#include <malloc.h>

namespace bpflink {

/// Has malloc() keep what is freed for what is allocated later, rather than give it back to
/// the system: that it does at the end of the process, and in between it costs page faults.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace bpflink
