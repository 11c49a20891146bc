#include "linker/report/output_index.hpp"

#include <algorithm>
#include <unordered_map>

#include "linker/elf/symbols_by_place.hpp"

namespace bpflink {
namespace {

std::string_view kind_of(const InputSection& section, const InputSymbol& symbol) {
  if (symbol.type == STT_FUNC) return "function";
  return section.holds_maps() ? "map" : "variable";
}

/// A string of a section of strings, as it stands there.
std::string text_of(const InputSection& section, const Fragment& fragment) {
  auto bytes = section.data.subspan(fragment.begin, fragment.end - fragment.begin);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

/// Cuts a live fragment at its symbols. Of symbols that share bytes the first has them.
void add_fragment(const InputSection& section, const Fragment& fragment,
                  const SymbolsByPlace& symbols, std::vector<PlacedPart>& parts) {
  auto add = [&](uint64_t begin, uint64_t end, std::string name, std::string_view kind) {
    if (begin < end)
      parts.push_back({fragment.output_offset + (begin - fragment.begin), end - begin, &section,
                       begin, std::move(name), kind});
  };
  if (section.is_mergeable_strings())
    return add(fragment.begin, fragment.end, text_of(section, fragment), "string");
  uint64_t at = fragment.begin;
  symbols.for_each_in(section, fragment.begin, fragment.end, [&](const InputSymbol& symbol) {
    uint64_t begin = std::max(at, symbol.value);
    uint64_t end = std::min(symbol.value + symbol.size, fragment.end);
    if (begin >= end) return;
    add(at, begin, "(no symbol)", "unnamed");
    add(begin, end, std::string(symbol.name), kind_of(section, symbol));
    at = end;
  });
  add(at, fragment.end, "(no symbol)", "unnamed");
}

}  // namespace

OutputIndex::OutputIndex(const Context& context) : parts_(context.sections.size() + 1) {
  std::unordered_map<const ObjectFile*, SymbolsByPlace> symbols;
  for (const auto& output : context.sections) {
    std::vector<PlacedPart>& parts = parts_[output->index];
    for (const InputSection* section : output->members) {
      const auto& by_place = symbols.try_emplace(section->file, *section->file).first->second;
      for (const Fragment& fragment : section->fragments)
        if (fragment.live && !fragment.is_duplicate)
          add_fragment(*section, fragment, by_place, parts);
    }
    if (output->members.empty())
      parts.push_back({0, output->size, nullptr, 0, std::string(output->name), "variable"});
    std::ranges::stable_sort(parts, {}, &PlacedPart::offset);
  }
}

const PlacedPart* OutputIndex::find(const OutputSection& section, uint64_t offset) const {
  const std::vector<PlacedPart>& parts = parts_of(section);
  auto after = std::ranges::upper_bound(parts, offset, {}, &PlacedPart::offset);
  if (after == parts.begin() || offset >= (after - 1)->end()) return nullptr;
  return &*(after - 1);
}

}  // namespace bpflink
