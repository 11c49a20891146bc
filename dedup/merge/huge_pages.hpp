// Memory of large tables on huge pages, if the system has some: there are fewer page faults, and
// fewer misses when the processor translates addresses.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace bpflink {

inline constexpr size_t huge_page = size_t{2} << 20;

/// Asks for huge pages for memory that is not written to yet.
inline void use_huge_pages(void* memory, size_t bytes) {
  size_t before = -reinterpret_cast<uintptr_t>(memory) % huge_page;
  if (bytes < before + huge_page) return;
  size_t pages = (bytes - before) / huge_page;
  ::madvise(static_cast<char*>(memory) + before, pages * huge_page, MADV_HUGEPAGE);
}

/// An allocator of such memory.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class Other>
  HugePageAllocator(const HugePageAllocator<Other>&) {}

  T* allocate(size_t count) {
    size_t bytes = count * sizeof(T);
    if (bytes < huge_page) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t(huge_page));
    use_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < huge_page)
      ::operator delete(memory);
    else
      ::operator delete(memory, std::align_val_t(huge_page));
  }
  friend bool operator==(HugePageAllocator, HugePageAllocator) { return true; }
};

/// A vector for a table that may be large.
template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace bpflink
