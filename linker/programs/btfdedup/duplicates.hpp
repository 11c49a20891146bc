// Types that repeat another type of their blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bpflink/btf.hpp"

namespace bpflink {

struct Duplicates {
  uint32_t count = 0;     ///< how many types repeat an earlier one
  uint32_t first = 0;     ///< the id of the first of them
  uint32_t repeated = 0;  ///< the id of the type that this one repeats
  std::string kind{};     ///< the first one's kind and name
  uint64_t bytes = 0;     ///< how much smaller the blob is without them and without unused strings
};

/// The types of a blob that stands alone which a deduplication merges with earlier ones. None if it
/// cannot be deduplicated. It takes as long as a run of btfdedup.
Duplicates find_duplicates(std::span<const std::byte> blob);

/// "2 types repeat others, such as [7] FUNC_PROTO the type [3]".
std::string describe(const Duplicates& duplicates);

}  // namespace bpflink
