// A mutator's choices, all derived from libFuzzer's seed
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace bpflink::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}

  uint64_t next() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  /// A number below `end`, which is not 0
  size_t below(size_t end) { return static_cast<size_t>((next() >> 16) % end); }
  bool one_in(size_t n) { return below(n) == 0; }
  uint64_t one_of(std::initializer_list<uint64_t> values) {
    return values.begin()[below(values.size())];
  }

  /// A number that readers mishandle: at a limit, near the old one, or small.
  uint64_t number_like(uint64_t old) {
    switch (below(4)) {
      case 0:
        return one_of({0, 1, 2, 3, 4, 7, 8, 16, 0xff, 0xffff, 0x10000, 0xfffffff8, 0x7fffffff,
                       0x80000000, 0xffffffff, 0x100000000, UINT64_MAX, UINT64_MAX - 7});
      case 1:
        return old + one_of({1, 2, 4, 8, 16, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX - 7});
      case 2:
        return old ^ uint64_t { 1 } << below(64);
      default:
        return below(64);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace bpflink::fuzz
