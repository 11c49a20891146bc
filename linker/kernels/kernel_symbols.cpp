#include "linker/kernels/kernel_symbols.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "dedup/check/names.hpp"

namespace bpflink {

KernelSymbols::KernelSymbols(OwnedBytes owner, std::vector<std::string_view> names)
    : owner_(std::move(owner)), names_(std::move(names)) {
  std::ranges::sort(names_);
}

std::optional<KernelSymbols> KernelSymbols::of_image(const KernelImage& image) {
  if (!image.elf) return std::nullopt;
  const ElfFile& elf = *image.elf;
  auto index = elf.find(".symtab");
  if (!index) return std::nullopt;
  const ElfSection& table = elf.sections[*index];
  if (table.link >= elf.sections.size()) return std::nullopt;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < elf.contents(table).size() / elf.symbol_size(); ++i) {
    Elf64_Sym symbol = elf.symbol(table, i);
    auto name = elf.string(elf.sections[table.link], symbol.st_name);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && name && name->size() <= max_kernel_name)
      names.push_back(*name);
  }
  if (names.empty()) return std::nullopt;
  return KernelSymbols(image.contents, std::move(names));
}

bool KernelSymbols::has(std::string_view name) const {
  return std::ranges::binary_search(names_, name) ||
         std::ranges::any_of(parts_of(name), [&](std::string_view part) {
           return part.substr(name.size()).starts_with(".llvm.");
         });
}

std::vector<std::string_view> KernelSymbols::parts_of(std::string_view name) const {
  const std::string prefix = std::string(name) + '.';
  std::vector<std::string_view> parts;
  for (auto at = std::ranges::lower_bound(names_, prefix);
       at != names_.end() && at->starts_with(prefix); ++at)
    parts.push_back(*at);
  return parts;
}

}  // namespace bpflink
