#include "linker/elf/origin.hpp"

#include <algorithm>
#include <set>

#include "linker/elf/elf_file.hpp"
#include "linker/elf/elf_kind.hpp"

namespace bpflink {
namespace {

using Names = std::set<std::string_view>;

/// File names without directories: builds run in different places.
Names source_files(const ObjectFile& object) {
  Names names;
  for (const InputSymbol& symbol : object.symbols)
    if (symbol.type == STT_FILE) names.insert(symbol.name.substr(symbol.name.rfind('/') + 1));
  return names;
}

/// Names that one program defines once. Objects of a program may each have a license, and may share
/// a map.
Names strong_definitions(const ObjectFile& object) {
  Names names;
  for (const InputSymbol& symbol : object.symbols) {
    if (symbol.place != InputSymbol::Place::Section || symbol.binding != STB_GLOBAL) continue;
    const InputSection& section = object.sections[symbol.section];
    bool is_shared = section.holds_maps() || facts_of(section.role).is_kept_once;
    if (!is_shared) names.insert(symbol.name);
  }
  return names;
}

bool have_common(const Names& a, const Names& b) {
  return std::ranges::any_of(a, [&](std::string_view name) { return b.contains(name); });
}

/// Whether a compiler wrote it and no BPF linker did: it has sections that linkers drop. Without
/// such sections it may be either's: assemblers and strip omit them.
bool is_compiler_output(std::span<const ElfSection> sections) {
  auto has = [&](std::string_view name) {
    return std::ranges::find(sections, name, &ElfSection::name) != sections.end();
  };
  // The GNU assembler writes .shstrtab; both linkers put names of sections into .strtab.
  return has(".llvm_addrsig") || (has(".comment") && has(".shstrtab"));
}

}  // namespace

bool have_common_origin(const ObjectFile& a, const ObjectFile& b) {
  return have_common(source_files(a), source_files(b)) ||
         have_common(strong_definitions(a), strong_definitions(b));
}

std::string find_unrelated_source(std::span<const std::byte> image,
                                  const std::function<bool(const ObjectFile&)>& is_related) {
  if (!describe_foreign_file(image).empty()) return "";
  auto elf = read_elf(image);
  if (!elf || !is_compiler_output(elf->sections)) return "";
  auto object = ObjectFile::read("", image);
  if (!object) return "";
  Names sources = source_files(**object);
  return sources.size() == 1 && !is_related(**object) ? std::string(*sources.begin()) : "";
}

bool looks_linked_from(const ObjectFile& object,
                       std::span<const std::unique_ptr<ObjectFile>> others) {
  std::vector<ElfSection> sections(object.sections.begin(), object.sections.end());
  if (is_compiler_output(sections)) return false;
  Names sources = source_files(object), definitions = strong_definitions(object);
  Names known_sources, known_definitions;
  bool has_compiled = false;
  for (const auto& other : others) {
    if (other.get() == &object) continue;
    Names their_definitions = strong_definitions(*other);
    if (!have_common(definitions, their_definitions)) continue;
    Names their_sources = source_files(*other);
    sections.assign(other->sections.begin(), other->sections.end());
    has_compiled |= is_compiler_output(sections) || their_sources.size() < sources.size();
    known_sources.merge(their_sources);
    known_definitions.merge(their_definitions);
  }
  if (!has_compiled) return false;
  return sources.empty() ? std::ranges::includes(known_definitions, definitions)
                         : std::ranges::includes(known_sources, sources);
}

}  // namespace bpflink
