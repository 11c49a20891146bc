// Merges a base and what is split from it into one blob without a base.
#pragma once

#include <expected>
#include <vector>

#include "bpflink/dedup.hpp"

namespace bpflink {

/// What DedupOptions::flatten asks for, of what was deduplicated against the base of `options`.
/// `layout` has the kinds that the library does not know, of the base, too. Errors: those of
/// Deduplicator::run().
std::expected<DedupResult, Error> flatten(const DedupOptions& options,
                                          std::span<const BtfKindLayout> layout, DedupResult split);

}  // namespace bpflink
