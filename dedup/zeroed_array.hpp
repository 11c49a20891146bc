// Large arrays of which only a part may be used.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>

namespace bpflink {

/// An array of zeros that takes memory only where it is written to: what the
/// system hands out is zero already, and so not written here.
template <class T>
class ZeroedArray {
 public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t size) : elements_(allocate(size)), size_(size) {}

  size_t size() const { return size_; }
  std::span<T> span() const { return {elements_.get(), size_}; }
  T& operator[](size_t i) const { return elements_.get()[i]; }

  /// Says that most of a large array will be written to: then large pages take less time. Of small
  /// ones each that is read before it is written to stops all threads, for the system to change
  /// what they see there: a tenth of a kernel's deduplication.
  void expect_dense_use() const {
    if (size_t mapped = elements_.get_deleter().mapped; mapped != 0)
      ::madvise(elements_.get(), mapped, MADV_HUGEPAGE);
  }

 private:
  /// What malloc() has used before calloc() would have to fill; not so what is mapped.
  static constexpr size_t least_mapped = 1 << 17;

  struct Free {
    size_t mapped = 0;  ///< bytes, or 0 if not mapped

    void operator()(T* elements) const {
      if (mapped != 0)
        ::munmap(elements, mapped);
      else
        std::free(elements);
    }
  };
  using Elements = std::unique_ptr<T, Free>;

  static Elements allocate(size_t count) {
    if (count > std::numeric_limits<size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
    size_t size = count * sizeof(T);
    bool is_mapped = size >= least_mapped;
    void* start = is_mapped ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                            : std::calloc(count + 1, sizeof(T));
    if (start == nullptr || start == MAP_FAILED) throw std::bad_alloc();
    return Elements(static_cast<T*>(start), Free{is_mapped ? size : 0});
  }

  Elements elements_;
  size_t size_ = 0;
};

using ZeroedWords = ZeroedArray<uint32_t>;

}  // namespace bpflink
