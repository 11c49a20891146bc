// Large arrays of which only a part may be used.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace bpflink {

/// An array of zeros that takes memory only where it is written to: what the
/// system hands out is zero already, and so not written here.
class ZeroedWords {
 public:
  ZeroedWords() = default;
  explicit ZeroedWords(size_t size)
      : words_(static_cast<uint32_t*>(std::calloc(size + 1, sizeof(uint32_t)))), size_(size) {
    if (!words_) throw std::bad_alloc();
  }

  std::span<uint32_t> span() const { return {words_.get(), size_}; }
  uint32_t& operator[](size_t i) const { return words_.get()[i]; }

 private:
  struct Free {
    void operator()(uint32_t* words) const { std::free(words); }
  };
  std::unique_ptr<uint32_t, Free> words_;
  size_t size_ = 0;
};

}  // namespace bpflink
