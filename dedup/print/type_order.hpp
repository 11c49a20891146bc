// An order of types that does not depend on their ids.
#pragma once

#include <cstdint>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Sorts types of `btf` by name, and enums without a name behind them by their first enumerator.
/// Types of one name are sorted by kind, then the larger and longer first, then by what they
/// contain and refer to. So every numbering of the types has the same order, unless two of `ids`
/// are equal, which they are not after deduplication.
///
/// Types that differ only at the end of a very long path may stay in the order of `ids`.
std::vector<uint32_t> order_by_contents(const BtfView& btf, std::vector<uint32_t> ids);

}  // namespace bpflink
