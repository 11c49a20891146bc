// Memory for large arrays.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace bpflink {

/// Asks the system to back memory that is not yet written to with large pages:
/// one fault then brings in 2 MB rather than 4 KB, and on arrays of some MB the
/// faults would cost more than filling them. A hint; without effect on small
/// arrays and where the system has no such pages.
inline void advise_large_pages(void* start, size_t size) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t small_page = 1 << 12;
  constexpr size_t large_page = 1 << 21;
  if (size < large_page) return;
  size_t to_page = -reinterpret_cast<uintptr_t>(start) & (small_page - 1);
  size_t pages = (size - to_page) & ~(small_page - 1);
  ::madvise(static_cast<std::byte*>(start) + to_page, pages, MADV_HUGEPAGE);
#else
  static_cast<void>(start);
  static_cast<void>(size);
#endif
}

/// As array.reserve(), with large pages.
template <class Array>
void reserve_large(Array& array, size_t count) {
  array.reserve(count);
  advise_large_pages(array.data(), array.capacity() * sizeof(*array.data()));
}

}  // namespace bpflink
