#include "linker/report/dropped.hpp"

#include <fmt/format.h>

namespace bpflink {
namespace {

void add_sections(const ObjectFile& object, std::vector<Dropped>& list) {
  uint64_t dwarf = 0;
  for (const InputSection& section : object.sections) {
    bool is_dropped = section.use == SectionUse::Drop;
    if (is_dropped && section.name.starts_with(".debug_"))
      dwarf += section.size;
    else if (is_dropped)
      list.push_back({&object, section.name, 0, "", section.size,
                      section.size == 0 ? "empty" : "of no use in a linked object"});
    if (section.same_as)
      list.push_back({&object, section.name, 0, "", section.size,
                      fmt::format("same as in {}", section.same_as->file->name)});
  }
  if (dwarf != 0) list.push_back({&object, "", 0, "", dwarf, "DWARF"});
}

void add_losers(const ObjectFile& object, std::vector<Dropped>& list) {
  for (uint32_t i = 1; i < object.symbols.size(); ++i) {
    const InputSymbol& symbol = object.symbols[i];
    if (!lost_resolution(object, i) || symbol.place != InputSymbol::Place::Section) continue;
    const InputSection& section = object.sections[symbol.section];
    if (section.same_as) continue;
    bool stays = place_of(section, symbol.value).has_value();
    list.push_back({&object, section.name, symbol.value, symbol.name, stays ? 0 : symbol.size,
                    fmt::format("gave way to that of {}{}", symbol.global->file->name,
                                stays ? "; its bytes stay, as the section cannot be split" : "")});
  }
}

}  // namespace

std::string Dropped::describe() const {
  if (section.empty()) return object->name;
  std::string place = object->describe_place(section, offset);
  return name.empty() ? place : fmt::format("{} {}", place, name);
}

std::vector<Dropped> find_dropped(const Context& context) {
  std::vector<Dropped> list;
  for (auto& object : context.objects) {
    add_sections(*object, list);
    add_losers(*object, list);
  }
  for (const DroppedDefinition& dropped : context.dropped)
    list.push_back({dropped.object, dropped.section->name, dropped.offset, dropped.name,
                    dropped.size, "not reached from any root"});
  return list;
}

std::vector<Dropped> find_merged_strings(const Context& context) {
  std::vector<Dropped> list;
  for (auto& object : context.objects)
    for (const InputSection& section : object->sections) {
      uint64_t bytes = 0;
      for (const Fragment& fragment : section.fragments)
        if (fragment.live && fragment.is_duplicate) bytes += fragment.end - fragment.begin;
      if (bytes != 0)
        list.push_back({object.get(), section.name, 0, "", bytes, "same strings as earlier ones"});
    }
  return list;
}

}  // namespace bpflink
