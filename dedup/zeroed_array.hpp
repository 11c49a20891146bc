// Large arrays of which only a part may be used.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "dedup/large_pages.hpp"

namespace bpflink {

/// An array of zeros that takes memory only where it is written to: what the
/// system hands out is zero already, and so not written here. One that will be
/// written to all over may ask for large pages.
template <class T>
class ZeroedArray {
 public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t size)
      : elements_(static_cast<T*>(std::calloc(size + 1, sizeof(T)))), size_(size) {
    if (!elements_) throw std::bad_alloc();
  }

  void use_large_pages() { advise_large_pages(elements_.get(), size_ * sizeof(T)); }

  size_t size() const { return size_; }
  std::span<T> span() const { return {elements_.get(), size_}; }
  T& operator[](size_t i) const { return elements_.get()[i]; }

 private:
  struct Free {
    void operator()(T* elements) const { std::free(elements); }
  };
  std::unique_ptr<T, Free> elements_;
  size_t size_ = 0;
};

using ZeroedWords = ZeroedArray<uint32_t>;

}  // namespace bpflink
