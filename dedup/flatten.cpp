// Flattening: a base and what is split from it become one blob that stands alone.
//
// Split BTF continues the type ids and string offsets of its base. So the two, one after the other,
// already are one valid blob, and no word in them changes:
//
//   base    [1] INT int   [2] FWD task   [3] PTR -> 2     strings  0..100
//   split   [4] STRUCT task {[1] id}     [5] PTR -> 4     strings  100..140
//
// But the base did not change while inputs were deduplicated against it. As part of the whole, its
// declarations may resolve to definitions of the inputs: here [2] to [4], and then [3] and [5] are
// equal. So the joined blob is deduplicated once more, without a base. If no types of the base
// merge, they keep their ids.
#include "dedup/flatten.hpp"

#include "dedup/format/reader.hpp"

namespace bpflink {

std::expected<DedupResult, Error> flatten(const DedupOptions& options,
                                          std::span<const BtfKindLayout> layout,
                                          DedupResult split) {
  auto joined = join(split.types, layout);
  if (!joined) return std::unexpected(joined.error());
  split.types = BtfBuilder();
  Deduplicator deduplicator(
      {.threads = options.threads, .borrow_inputs = true, .sort = options.sort});
  deduplicator.add("base and the types split from it", *joined);
  auto flat = deduplicator.run();
  if (!flat) return flat;
  compose(split.type_maps, flat->type_maps[0]);
  flat->type_maps = std::move(split.type_maps);
  flat->classify_seconds += split.classify_seconds;
  return flat;
}

}  // namespace bpflink
