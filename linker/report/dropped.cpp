#include "linker/report/dropped.hpp"

#include <fmt/format.h>

#include "linker/report/merged_btf.hpp"

namespace bpflink {
namespace {

bool is_dropped_dwarf(const InputSection& section) {
  return section.use == SectionUse::Drop && section.name.starts_with(".debug_");
}

std::string_view reason_of(const InputSection& section) {
  if (section.size == 0) return "empty";
  return "of no use in a linked object";
}

void add_sections(const ObjectFile& object, std::vector<Dropped>& list) {
  uint64_t dwarf = 0;
  for (const InputSection& section : object.sections) {
    if (is_dropped_dwarf(section))
      dwarf += section.size;
    else if (section.use == SectionUse::Drop)
      list.push_back({&object, &section, 0, "", section.size, std::string(reason_of(section))});
    if (section.same_as)
      list.push_back({&object, &section, 0, "", section.size,
                      fmt::format("same as in {}", section.same_as->file->name)});
  }
  if (dwarf != 0) list.push_back({&object, nullptr, 0, "", dwarf, "DWARF"});
}

void add_losers(const ObjectFile& object, std::vector<Dropped>& list) {
  for (uint32_t i = 1; i < object.symbols.size(); ++i) {
    const InputSymbol& symbol = object.symbols[i];
    if (!lost_resolution(object, i) || symbol.place != InputSymbol::Place::Section) continue;
    const InputSection& section = object.sections[symbol.section];
    if (section.same_as) continue;
    bool stays = place_of(section, symbol.value).has_value();
    list.push_back({&object, &section, symbol.value, symbol.name, stays ? 0 : symbol.size,
                    fmt::format("gave way to that of {}{}", symbol.global->file->name,
                                stays ? "; its bytes stay, as the section cannot be split" : "")});
  }
}

const InputSection* find_btf_section(const ObjectFile& object) {
  for (const InputSection& section : object.sections)
    if (section.name == ".BTF") return &section;
  return nullptr;
}

}  // namespace

std::string Dropped::describe() const {
  if (!section) return object->name;
  std::string place = object->describe_place(*section, offset);
  return name.empty() ? place : fmt::format("{} {}", place, name);
}

std::vector<Dropped> find_dropped(const Context& context) {
  std::vector<Dropped> list;
  for (auto& object : context.objects) {
    add_sections(*object, list);
    add_losers(*object, list);
  }
  for (const DroppedDefinition& dropped : context.dropped)
    list.push_back({dropped.object, dropped.section, dropped.offset, dropped.name, dropped.size,
                    "not reached from any root"});
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
        list.push_back({object.get(), &section, 0, "", bytes, "same strings as earlier ones"});
    }
  return list;
}

std::vector<Dropped> find_merged_btf(const Context& context, const Btf& output) {
  std::vector<Dropped> list;
  MergedBtf merged(output, context.output_btf.size());
  for (auto& object : context.objects) {
    const InputSection* section = find_btf_section(*object);
    if (!object->btf || !section) continue;
    for (DroppedBtf part : merged.add(*object->btf, section->size, object->type_map))
      list.push_back({object.get(), section, 0, "", part.bytes, part.reason});
  }
  return list;
}

}  // namespace bpflink
