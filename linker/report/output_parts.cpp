#include "linker/report/output_parts.hpp"

#include <algorithm>
#include <unordered_map>

#include "linker/elf/references.hpp"
#include "linker/elf/symbols_by_place.hpp"
#include "linker/report/model.hpp"

namespace bpflink {
namespace {

using Place = std::pair<uint32_t, uint64_t>;  ///< index of a section, offset

Place place_of_part(const OutputPart& part) {
  return {part.section, part.offset};
}

std::string_view kind_of(const InputSection& section, const InputSymbol& symbol) {
  // libbpf loads it by itself.
  if (symbol.type == STT_FUNC && section.is_code())
    return section.holds_programs() && !symbol.is_local() ? "program" : "function";
  return section.holds_maps() ? "map" : "variable";
}

/// A string of a section of strings, as it stands there.
std::string text_of(const InputSection& section, const Fragment& fragment) {
  auto bytes = section.data.subspan(fragment.begin, fragment.end - fragment.begin);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

/// Cuts a live fragment at its symbols.
void add_fragment(const InputSection& section, const Fragment& fragment,
                  const SymbolsByPlace& symbols, std::vector<OutputPart>& parts) {
  auto add = [&](uint64_t begin, uint64_t end, std::string name, std::string_view kind) {
    if (begin < end)
      parts.push_back({section.output->index, fragment.output_offset + (begin - fragment.begin),
                       end - begin, section.file, std::move(name), kind});
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

OutputParts::OutputParts(const Context& context, const ObjectFile& output) {
  std::unordered_map<const ObjectFile*, SymbolsByPlace> symbols;
  for (const auto& section : context.sections) {
    for (const InputSection* member : section->members) {
      const auto& by_place = symbols.try_emplace(member->file, *member->file).first->second;
      for (const Fragment& fragment : member->fragments)
        if (fragment.live && !fragment.is_duplicate)
          add_fragment(*member, fragment, by_place, parts);
    }
    if (section->members.empty())
      parts.push_back(
          {section->index, 0, section->size, nullptr, std::string(section->name), "variable"});
  }
  std::ranges::stable_sort(parts, {}, place_of_part);
  uses = Graph::make(static_cast<uint32_t>(parts.size()),
                     [&](auto add) { visit_references(output, add); });
}

uint32_t OutputParts::find(uint32_t section, uint64_t offset) const {
  auto after = std::ranges::upper_bound(parts, Place{section, offset}, {}, place_of_part);
  if (after == parts.begin()) return no_node;
  auto part = after - 1;
  bool is_inside = part->section == section && offset < part->end();
  return is_inside ? static_cast<uint32_t>(part - parts.begin()) : no_node;
}

template <typename Add>
void OutputParts::visit_references(const ObjectFile& output, Add add) const {
  auto connect = [&](uint32_t from, uint32_t to) {
    if (from != no_node && to != no_node && from != to) add(from, to);
  };
  for (const InputSection& section : output.linked_sections()) {
    if (!section.is_loaded()) continue;
    for (const Relocation& relocation : section.relocations) {
      RelocationTarget target = target_of(output, relocation);
      connect(find(section.index, relocation.offset),
              find(target.section, static_cast<uint64_t>(target.offset)));
    }
    if (!section.is_code()) continue;
    for_each_local_branch(section, 0, section.size, [&](const LocalBranch& branch) {
      if (branch.is_call)
        connect(find(section.index, branch.from),
                find(section.index, static_cast<uint64_t>(branch.to)));
    });
  }
}

}  // namespace bpflink
