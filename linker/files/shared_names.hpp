// A limit of names in a string table that begin within others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <unordered_set>

#include "dedup/messages.hpp"

namespace bpflink {

/// Compilers let "bar" be the end of "foobar". Thousands of names may so be the ends of one of half
/// a megabyte, of which each that an output has is written out.
class SharedNames {
 public:
  /// Counts the name at `offset` of a string table. Errors: such names are longer than in any
  /// object.
  std::expected<void, Error> add(std::span<const std::byte> table, uint64_t offset,
                                 std::string_view name) {
    constexpr uint64_t most = 16 << 20;
    bool begins_within = offset != 0 && table[offset - 1] != std::byte{0};
    if (begins_within && seen_.insert(offset).second) size_ += name.size();
    if (size_ <= most) return {};
    return fail("names that begin within others take more than {} MiB", most >> 20);
  }

 private:
  std::unordered_set<uint64_t> seen_;  ///< offsets
  uint64_t size_ = 0;                  ///< bytes
};

}  // namespace bpflink
