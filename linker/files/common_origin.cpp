#include "linker/files/common_origin.hpp"

#include <algorithm>
#include <set>

#include "linker/files/elf_file.hpp"
#include "linker/files/elf_kind.hpp"

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
    if (!symbol.is_in_section() || symbol.binding != STB_GLOBAL) continue;
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

}  // namespace bpflink
