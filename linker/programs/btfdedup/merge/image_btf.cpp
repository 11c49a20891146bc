#include "linker/programs/btfdedup/merge/image_btf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "bpflink/btf.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/programs/btfdedup/merge/btf_ids.hpp"

namespace bpflink {
namespace {

// Flags of kfuncs: KF_FASTCALL, KF_ARENA_RET, KF_ARENA_ARG1, KF_ARENA_ARG2
constexpr uint32_t fastcall_flag = 1 << 12, arena_result = 1 << 13, arena_first = 1 << 14,
                   arena_second = 1 << 15;
constexpr size_t max_names = 5;  ///< how many omitted symbols are named

bool is_function(const ElfSymbol& symbol) {
  bool is_whole = symbol.name.size() < ElfSymbol::longest_name;
  return (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC) && is_whole;
}

/// What macros of the kernel name, for itself.
bool is_anonymous(std::string_view variable) {
  constexpr std::string_view beginnings[] = {"__UNIQUE_ID", "__tpstrtab_", "__exitcall_",
                                             "__func_stack_frame_non_standard_"};
  return std::ranges::any_of(beginnings, [&](auto begin) { return variable.starts_with(begin); });
}

bool is_in_memory(const ElfSymbol& symbol, const ElfFile& elf) {
  return symbol.section != SHN_UNDEF && symbol.section < elf.sections.size() &&
         (elf.sections[symbol.section].flags & SHF_ALLOC) != 0;
}

std::expected<ImageVariable, Error> find_place(const ElfSymbol& symbol, const ElfFile& elf) {
  const ElfSection& section = elf.sections[symbol.section];
  uint64_t offset = symbol.value - (elf.type == ET_REL ? 0 : section.address);
  if (section.size > UINT32_MAX || offset > section.size || symbol.size > section.size - offset)
    return fail("symbol '{}' with {:#x} bytes at {}+{:#x} is outside the section of {:#x} bytes",
                symbol.name, symbol.size, section.name, offset, section.size);
  return ImageVariable{symbol.name, static_cast<uint32_t>(offset),
                       static_cast<uint32_t>(symbol.size), symbol.binding == STB_LOCAL,
                       section.name};
}

}  // namespace

std::expected<ImageSymbols, Error> read_image_symbols(const ElfFile& elf,
                                                      const DwarfFeatures& features) {
  ImageSymbols image;
  if (std::ranges::find(elf.sections, SHT_SYMTAB, &ElfSection::type) == elf.sections.end())
    return fail("has no symbol table, which --linked needs: link without -s, do not strip");
  auto symbols = TRY(read_symbols(elf));
  auto of_processors = elf.find(ImageVariable().section);
  for (const ElfSymbol& symbol : symbols) {
    if (is_function(symbol)) {
      image.functions.push_back(symbol.name);
      image.addresses.push_back(symbol.value);
    }
    bool is_wanted =
        symbol.section == of_processors ? features.variables : features.global_variables;
    if (symbol.type != STT_OBJECT || !is_wanted || !is_in_memory(symbol, elf) ||
        is_anonymous(symbol.name))
      continue;
    auto variable = TRY(find_place(symbol, elf));
    image.variables.push_back(variable);
  }
  auto kfuncs = TRY(read_kfuncs(elf, symbols));
  for (const Kfunc& kfunc : kfuncs) {
    image.tags.push_back({kfunc.name, "bpf_kfunc"});
    if ((kfunc.flags & fastcall_flag) != 0) image.tags.push_back({kfunc.name, "bpf_fastcall"});
    if ((kfunc.flags & (arena_result | arena_first | arena_second)) != 0)
      image.arena_functions.push_back(
          {kfunc.name,
           (kfunc.flags & arena_result) != 0,
           {(kfunc.flags & arena_first) != 0, (kfunc.flags & arena_second) != 0}});
  }
  return image;
}

std::vector<std::string_view> find_weak_functions(std::span<const std::byte> image) {
  std::vector<std::string_view> names;
  auto elf = read_elf(image);
  if (!elf) return names;
  for (const ElfSymbol& symbol : read_symbols(*elf).value_or(std::vector<ElfSymbol>()))
    if (is_function(symbol) && symbol.binding == STB_WEAK) names.push_back(symbol.name);
  return names;
}

std::span<const OmissionText> omission_texts() {
  using enum ImageOmission;
  static constexpr OmissionText texts[] = {
      {SeveralPrototypes, "several_prototypes", "functions with several prototypes"},
      {Clone, "clone", "functions of which only clones remain"},
      {SeveralTypes, "several_types", "variables with several types"},
      {OtherSize, "other_size", "variables whose size is not their type's"},
      {Overlap, "overlap", "variables that overlap another"},
      {TagWithoutFunction, "tag_without_function", "tags of kfuncs without a FUNC"},
      {SeveralAddresses, "several_addresses", "functions at several addresses"},
      {UnexpectedRegister, "unexpected_register", "functions with a parameter in another register"},
      {OtherOrder, "other_order", "functions with parameters in another order"},
      {UnusedParameters, "unused_parameters", "functions without some of their parameters"}};
  return texts;
}

std::vector<std::string> describe_omitted(const ImageResult& result) {
  std::vector<std::string> lines;
  for (const OmissionText& text : omission_texts()) {
    std::vector<std::string_view> names;
    for (const OmittedSymbol& symbol : result.omitted)
      if (symbol.reason == text.reason) names.push_back(symbol.name);
    if (!names.empty())
      lines.push_back(fmt::format("omitted {}: {}", text.text, list_of(names, max_names)));
  }
  return lines;
}

std::vector<std::string> list_absent_functions(const ImageResult& result,
                                               const ImageSymbols& symbols) {
  std::vector<std::string> lines;
  std::set<std::string_view> known;
  for (const OmittedSymbol& symbol : result.omitted) {
    known.insert(symbol.name);
    auto reason = std::ranges::find(omission_texts(), symbol.reason, &OmissionText::reason);
    lines.push_back(fmt::format("omitted {}: one of the {}", symbol.name, reason->text));
  }
  const BtfBuilder& types = result.dedup.types;
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id)
    if (BtfType type = types.type(id); type.kind() == BtfKind::Func) known.insert(types.name(type));
  for (std::string_view name : symbols.functions)
    if (!name.starts_with("__pfx_") && known.insert(name.substr(0, name.find('.'))).second)
      lines.push_back(fmt::format("omitted {}: no unit in C defines it", name));
  return lines;
}

}  // namespace bpflink
