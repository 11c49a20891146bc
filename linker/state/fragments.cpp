#include "linker/state/fragments.hpp"

#include <algorithm>

namespace bpflink {

const Fragment& fragment_at(const InputSection& section, int64_t offset) {
  auto after = std::ranges::upper_bound(
      section.fragments, offset, {},
      [](const Fragment& fragment) { return static_cast<int64_t>(fragment.begin); });
  return after == section.fragments.begin() ? section.fragments.front() : *(after - 1);
}

Fragment& fragment_at(InputSection& section, int64_t offset) {
  return const_cast<Fragment&>(fragment_at(std::as_const(section), offset));
}

bool is_live(const InputSection& section) {
  return std::ranges::any_of(
      section.fragments, [](const Fragment& each) { return each.live && each.begin != each.end; });
}

bool is_live(const InputSection& section, uint64_t offset) {
  return fragment_at(section, static_cast<int64_t>(offset)).live;
}

bool is_live(const ObjectFile& object, const InputSymbol& symbol) {
  if (!symbol.is_in_section()) return false;
  const InputSection& section = object.sections[symbol.section];
  return section.is_linked() && !section.fragments.empty() && is_live(section, symbol.value);
}

std::optional<OutputPlace> place_of(const InputSection& section, uint64_t offset) {
  if (!section.output) return std::nullopt;
  const Fragment& fragment = fragment_at(section, static_cast<int64_t>(offset));
  if (!fragment.live) return std::nullopt;
  return OutputPlace{section.output, fragment.output_offset + (offset - fragment.begin)};
}

std::optional<OutputPlace> place_of_pointer(InputPlace target) {
  if (!target.section) return std::nullopt;
  const InputSection& section = *target.section;
  int64_t offset = target.offset;
  // No pointer leads outside of a split section: see split_into_fragments().
  if (section.fragments.size() <= 1 || offset < 0) return place_of(section, offset);
  const Fragment& fragment = fragment_at(section, offset);
  bool at_dropped = !fragment.live && static_cast<uint64_t>(offset) == fragment.begin;
  if (!at_dropped || &fragment == section.fragments.data()) return place_of(section, offset);
  const Fragment& before = *(&fragment - 1);
  if (!section.output || !before.live) return std::nullopt;
  return OutputPlace{section.output, before.output_offset + (before.end - before.begin)};
}

}  // namespace bpflink
