// Flattening: a base and what is split from it become one blob that stands alone.
//
// Split BTF goes on where its base ends, with type ids and with string offsets. So the sections of
// the two, one after the other, are already what is asked for, and nothing in them changes:
//
//   base    [1] INT int   [2] FWD task   [3] PTR -> 2     strings  0..100
//   split   [4] STRUCT task {[1] id}     [5] PTR -> 4     strings  100..140
//
// But the base was an atom as long as the inputs were deduplicated against it, and some of its
// declarations may stand for what an input defines: here [2] for [4], and then [3] and [5] are one.
// So the whole is deduplicated once more, as an input without a base. Where nothing of the base is
// merged, all of its types keep their ids.
#include "dedup/flatten.hpp"

#include "dedup/format/type_section.hpp"

namespace bpflink {

std::expected<DedupResult, Error> flatten(const DedupOptions& options,
                                          std::span<const BtfKindLayout> layout,
                                          DedupResult split) {
  auto joined = join(*options.base, split.types, layout);
  if (!joined) return std::unexpected(joined.error());
  split.types = BtfBuilder();
  Deduplicator deduplicator(
      {.threads = options.threads, .borrow_inputs = true, .sort = options.sort});
  deduplicator.add("base with all that is split from it", *joined);
  auto flat = deduplicator.run();
  if (!flat) return flat;
  compose(split.type_maps, flat->type_maps[0]);
  flat->type_maps = std::move(split.type_maps);
  flat->classify_seconds += split.classify_seconds;
  return flat;
}

}  // namespace bpflink
