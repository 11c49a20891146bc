// Memory for large arrays.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

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

/// Allocates large arrays on large pages of their own. That they begin with one is what
/// matters: of an array of a few pages that begins anywhere, much would be on small ones.
template <class T>
class LargePages {
 public:
  using value_type = T;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}

  T* allocate(size_t count) {
    if (count < least_count) return std::allocator<T>().allocate(count);
    if (count > std::numeric_limits<size_t>::max() / 2 / sizeof(T))
      throw std::bad_array_new_length();
    size_t size = mapped_size(count);
    void* mapped = ::mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* start = static_cast<std::byte*>(mapped);
    size_t before = -reinterpret_cast<uintptr_t>(start) & (page - 1);
    if (before != 0) ::munmap(start, before);
    ::munmap(start + before + size, page - before);
    advise_large_pages(start + before, size);
    return reinterpret_cast<T*>(start + before);
  }

  void deallocate(T* elements, size_t count) {
    if (count < least_count)
      std::allocator<T>().deallocate(elements, count);
    else
      ::munmap(elements, mapped_size(count));
  }

  bool operator==(const LargePages&) const { return true; }

 private:
  static constexpr size_t page = 1 << 21;
  static constexpr size_t least_count = page / sizeof(T);

  static size_t mapped_size(size_t count) { return (count * sizeof(T) + page - 1) & ~(page - 1); }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace bpflink
