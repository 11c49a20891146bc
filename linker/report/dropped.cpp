#include "linker/report/dropped.hpp"

#include <fmt/format.h>

#include "linker/elf/elf_file.hpp"
#include "linker/report/merged_btf.hpp"

namespace bpflink {
namespace {

void add_sections(const ObjectFile& object, ReadOptions options, std::vector<Dropped>& list) {
  auto elf = read_elf(object.image);
  if (!elf) return;
  std::vector<const InputSection*> kept(elf->sections.size());
  for (const InputSection& section : object.sections) kept[section.header_index] = &section;
  uint64_t dwarf = 0;
  for (uint32_t i = 1; i < elf->sections.size(); ++i) {
    const ElfSection& header = elf->sections[i];
    const InputSection* section = kept[i];
    SectionUse use =
        section ? section->use
                : use_of_section(header.name, header.type, header.flags, header.size, options);
    if (use == SectionUse::Drop && header.name.starts_with(".debug_"))
      dwarf += header.size;
    else if (use == SectionUse::Drop)
      list.push_back({&object, header.name, 0, "", header.size,
                      header.size == 0 ? "empty" : "of no use in a linked object"});
    if (section && section->same_as)
      list.push_back({&object, header.name, 0, "", header.size,
                      fmt::format("same as in {}", section->same_as->file->name)});
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

const InputSection* find_btf_section(const ObjectFile& object) {
  for (const InputSection& section : object.sections)
    if (section.name == ".BTF") return &section;
  return nullptr;
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
    add_sections(*object, {.keep_debug = context.options.keep_debug}, list);
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

std::vector<Dropped> find_merged_btf(const Context& context, const Btf& output) {
  std::vector<Dropped> list;
  MergedBtf merged(output, context.output_btf.size());
  for (auto& object : context.objects) {
    const InputSection* section = find_btf_section(*object);
    if (!object->btf || !section) continue;
    for (DroppedBtf part : merged.add(*object->btf, section->size, object->type_map))
      list.push_back({object.get(), section->name, 0, "", part.bytes, part.reason});
  }
  return list;
}

}  // namespace bpflink
