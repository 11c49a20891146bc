// The order of types by their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bpflink {

/// Sorts items by their names, which `text_at(offset_of(item))` gives; items of one name keep their
/// order. Thousands may share one of a megabyte, so each offset is read once, and gets a rank.
template <typename Item, typename OffsetOf, typename TextAt>
void sort_by_name(std::vector<Item>& items, OffsetOf offset_of, TextAt text_at) {
  struct Name {
    uint32_t offset, rank = 0;
    std::string_view text{};
  };
  std::vector<Name> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back({.offset = offset_of(item)});
  std::ranges::sort(names, {}, &Name::offset);
  auto repeated = std::ranges::unique(names, {}, &Name::offset);
  names.erase(repeated.begin(), repeated.end());
  for (Name& name : names) name.text = text_at(name.offset);
  std::ranges::sort(names, {}, &Name::text);
  for (size_t i = 1; i < names.size(); ++i)
    names[i].rank = names[i - 1].rank + (names[i].text != names[i - 1].text ? 1 : 0);
  std::ranges::sort(names, {}, &Name::offset);
  std::vector<std::pair<uint32_t, Item>> ranked;
  ranked.reserve(items.size());
  for (const Item& item : items)
    ranked.emplace_back(std::ranges::lower_bound(names, offset_of(item), {}, &Name::offset)->rank,
                        item);
  std::ranges::stable_sort(ranked, {}, &std::pair<uint32_t, Item>::first);
  std::ranges::transform(ranked, items.begin(), &std::pair<uint32_t, Item>::second);
}

}  // namespace bpflink
