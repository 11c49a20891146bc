#include "linker/report/output_parts.hpp"

#include <algorithm>

#include "linker/files/references.hpp"
#include "linker/files/symbols_by_place.hpp"

namespace bpflink {
namespace {

std::string_view kind_of(const InputSection& section, const InputSymbol& symbol) {
  // libbpf loads a program by itself.
  if (symbol.type == STT_FUNC && section.is_code())
    return section.holds_programs() && !symbol.is_local() ? "program" : "function";
  return section.holds_maps() ? "map" : "variable";
}

/// Cuts a live fragment at its symbols.
void add_fragment(const InputSection& section, const Fragment& fragment,
                  std::vector<OutputPart>& parts) {
  auto add = [&](uint64_t begin, uint64_t end, std::string_view name, std::string_view kind) {
    if (begin < end)
      parts.push_back({section.output->index, fragment.output_offset + (begin - fragment.begin),
                       end - begin, section.file, name, kind});
  };
  if (section.is_merged && section.holds_strings()) {
    auto bytes = section.data.subspan(fragment.begin, fragment.end - fragment.begin);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return add(fragment.begin, fragment.end, text.substr(0, text.find('\0')), "string");
  }
  uint64_t at = fragment.begin;
  const auto& symbols = section.file->by_place();
  symbols.for_each_in(section, fragment.begin, fragment.end, [&](const InputSymbol& symbol) {
    uint64_t begin = std::max(at, symbol.value);
    uint64_t end = std::min(symbol.value + symbol.size, fragment.end);
    if (begin >= end) return;
    add(at, begin, "(no symbol)", "unnamed");
    add(begin, end, symbol.name, kind_of(section, symbol));
    at = end;
  });
  add(at, fragment.end, "(no symbol)", "unnamed");
}

/// Calls `visit` with the section and offset of each reference, and those of its target.
template <typename Visit>
void for_each_use(const ObjectFile& output, Visit visit) {
  for (const InputSection& section : output.linked_sections()) {
    if (!section.is_loaded()) continue;
    for_each_reference(section, 0, section.size, [&](const Reference& reference) {
      auto [target, offset] = reference.to.place;
      if (!reference.is_jump)
        visit(section.index, reference.from, target ? target->index : 0, offset);
    });
  }
}

}  // namespace

OutputParts::OutputParts(const Context& context, const ObjectFile& output) {
  for (const auto& section : context.sections) {
    for (const InputSection* member : section->members)
      for (const Fragment& fragment : member->fragments)
        if (fragment.live && !fragment.is_duplicate) add_fragment(*member, fragment, parts);
    if (section->members.empty())
      parts.push_back({section->index, 0, section->size, nullptr, section->name, "variable"});
  }
  std::ranges::stable_sort(parts, {}, &OutputPart::place);
  uses = Graph::make(static_cast<uint32_t>(parts.size()), [&](auto add) {
    for_each_use(output, [&](uint32_t section, uint64_t from, uint32_t target, int64_t to) {
      uint32_t user = find(section, from), used = find(target, static_cast<uint64_t>(to));
      if (user != no_node && used != no_node && user != used) add(user, used);
    });
  });
}

uint32_t OutputParts::find(uint32_t section, uint64_t offset) const {
  auto after = std::ranges::upper_bound(parts, std::pair(section, offset), {}, &OutputPart::place);
  if (after == parts.begin()) return no_node;
  auto part = after - 1;
  bool is_inside = part->section == section && offset < part->end();
  return is_inside ? static_cast<uint32_t>(part - parts.begin()) : no_node;
}

}  // namespace bpflink
