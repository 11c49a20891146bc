// Memory that is about to be used all over.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace bpflink {

/// Whether pages are to be read, as those of a mapped file, or written to.
enum class Access : uint8_t { read, write };

/// Has the system provide all pages of some memory at once, where it can. One fault a page takes
/// several times as long, on virtual machines above all: a fifth of a kernel's deduplication.
/// Little memory is not worth the call.
inline void populate(const void* start, size_t bytes, Access access) {
#if defined(MADV_POPULATE_READ) && defined(MADV_POPULATE_WRITE)
  constexpr size_t worthwhile = 1 << 17;
  if (bytes < worthwhile) return;
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(start) & ~(page - 1);
  auto end = reinterpret_cast<uintptr_t>(start) + bytes;
  ::madvise(reinterpret_cast<void*>(begin), end - begin,
            access == Access::read ? MADV_POPULATE_READ : MADV_POPULATE_WRITE);
#endif
}

}  // namespace bpflink
