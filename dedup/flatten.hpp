// Merges a base and the types split from it into one blob without a base.
#pragma once

#include <expected>
#include <vector>

#include "bpflink/dedup.hpp"

namespace bpflink {

/// Implements DedupOptions::flatten for `split`, which was deduplicated against the base of
/// `options`. `layout` is the layout section of both. Errors: those of Deduplicator::run().
std::expected<DedupResult, Error> flatten(const DedupOptions& options,
                                          std::span<const BtfKindLayout> layout, DedupResult split);

}  // namespace bpflink
