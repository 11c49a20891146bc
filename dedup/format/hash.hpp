// Hash functions, and the hash index that all interning uses.
#pragma once

#include <xxhash.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "dedup/merge/huge_pages.hpp"

namespace bpflink {

/// A hash never decides that two things are equal. A build with BPFLINK_HASH_BITS keeps only that
/// many bits, so that tests prove it.
inline uint32_t hash_bytes(const void* bytes, size_t size) {
  auto hash = static_cast<uint32_t>(XXH3_64bits(bytes, size));
#ifdef BPFLINK_HASH_BITS
  hash &= (uint32_t{1} << BPFLINK_HASH_BITS) - 1;
#endif
  return hash;
}

/// The hash of a sequence, from that of what comes first and the next value.
inline uint32_t combine_hashes(uint32_t hash, uint32_t value) {
  uint64_t mixed = ((uint64_t{hash} << 32 | value) ^ 0x2545f4914f6cdd1d) * 0x9e3779b97f4a7c15;
  hash = static_cast<uint32_t>(mixed >> 32 ^ mixed);
#ifdef BPFLINK_HASH_BITS
  hash &= (uint32_t{1} << BPFLINK_HASH_BITS) - 1;
#endif
  return hash;
}

/// A map from hashes to non-zero 32-bit values, with open addressing. The caller knows what a value
/// stands for and compares.
class HashIndex {
 public:
  /// The first value under `hash` that `equal(value)` accepts, or 0.
  template <class Equal>
  uint32_t find(uint32_t hash, Equal&& equal) const {
    if (slots_.empty()) return 0;
    for (size_t i = hash & mask();; i = (i + 1) & mask()) {
      const Slot& slot = slots_[i];
      if (slot.value == 0) return 0;
      if (slot.hash == hash && equal(slot.value)) return slot.value;
    }
  }

  /// Prefetches what find() and insert() look at.
  void prefetch(uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()]);
  }

  /// Reserves room for `count` values.
  void reserve(size_t count) {
    if (slots_.size() < 2 * count) grow(std::bit_ceil(2 * count));
  }

  /// Adds a value that find() did not find.
  void insert(uint32_t hash, uint32_t value) {
    if (2 * (count_ + 1) > slots_.size()) grow(slots_.empty() ? 64 : 2 * slots_.size());
    put({hash, value});
    ++count_;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t value = 0;
  };

  size_t mask() const { return slots_.size() - 1; }

  void put(Slot slot) {
    size_t i = slot.hash & mask();
    while (slots_[i].value != 0) i = (i + 1) & mask();
    slots_[i] = slot;
  }

  /// `size` is a power of two.
  void grow(size_t size) {
    LargeVector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != 0) put(slot);
  }

  LargeVector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace bpflink
