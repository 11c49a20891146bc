#include "linker/programs/btfdedup/duplicates.hpp"

#include <fmt/format.h>

#include <vector>

#include "bpflink/dedup.hpp"
#include "bpflink/print.hpp"
#include "dedup/internal.hpp"

namespace bpflink {

Duplicates find_duplicates(std::span<const std::byte> blob) {
  Deduplicator deduplicator({.threads = 1, .borrow_inputs = true});
  auto btf = deduplicator.add_blob("", blob);
  if (!btf) return {};
  auto result = deduplicator.run();
  if (!result) return {};
  auto merged = result->types.finish(btf->byte_order());
  if (!merged) return {};
  const TypeMap& map = result->type_maps[0];
  Duplicates duplicates;
  std::vector<uint32_t> first_with(map.size());  // by id of the output
  for (uint32_t id = 1; id < map.end_id(); ++id) {
    uint32_t& first = first_with[map[id]];
    if (first == 0) {
      first = id;
    } else if (++duplicates.count == 1) {
      duplicates.first = id;
      duplicates.repeated = first;
    }
  }
  if (duplicates.count == 0) return {};
  BtfType type = btf->type(duplicates.first);
  duplicates.kind = btf_kind_name(type.kind());
  if (std::string_view name = btf->name(type); !name.empty())
    duplicates.kind += fmt::format(" '{}'", name);
  duplicates.bytes = blob.size() - std::min(blob.size(), merged->size());
  return duplicates;
}

std::string describe(const Duplicates& duplicates) {
  return fmt::format("{} {}, such as [{}] {} the type [{}]", count_of(duplicates.count, "type"),
                     duplicates.count == 1 ? "repeats another" : "repeat others", duplicates.first,
                     duplicates.kind, duplicates.repeated);
}

}  // namespace bpflink
