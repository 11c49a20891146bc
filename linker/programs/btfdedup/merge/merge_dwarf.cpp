// Reads DWARF in place of BTF.
#include <elf.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dedup/dwarf/read_dwarf.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/format/reader.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/programs/btfdedup/elf_dwarf.hpp"
#include "linker/programs/btfdedup/merge/merge.hpp"
#include "linker/text/program.hpp"

namespace bpflink {
namespace {

/// The registers that pass arguments, by DWARF's numbers.
DwarfCallingConvention convention_of(uint16_t machine) {
  constexpr uint8_t unknown = DwarfCallingConvention::unknown_register;
  switch (machine) {
    case EM_X86_64:
      return {6, {5, 4, 1, 2, 8, 9, unknown, unknown}};
    case EM_S390:
      return {5, {2, 3, 4, 5, 6, unknown, unknown, unknown}, false};
    case EM_ARM:
    case EM_AARCH64:
      return {8, {0, 1, 2, 3, 4, 5, 6, 7}};
    case EM_SPARC:
    case EM_SPARCV9:
      return {6};
    case EM_ARC:
    case EM_MIPS:
    case EM_PPC:
    case EM_PPC64:
    case EM_RISCV:
      return {8};
    default:
      return {};
  }
}

/// The names in the source of an image's functions and variables.
struct ImageNames {
  explicit ImageNames(const ImageSymbols& symbols) {
    for (std::string_view name : symbols.functions)
      functions.insert(name.substr(0, name.find('.')));
    for (const ImageVariable& variable : symbols.variables) variables.insert(variable.name);
  }
  std::unordered_set<std::string_view> functions, variables;
};

/// Whether arrays have elements that are arrays. pahole before 1.32 wrote one for all dimensions:
/// types of modules have to be like those of such a kernel.
bool has_nested_arrays(const Btf& base) {
  for (const BtfView* btf = &base; btf != nullptr; btf = btf->base())
    for (uint32_t id = btf->first_id(); id < btf->end_id(); ++id) {
      std::span<const uint32_t> words = btf->words_of(id);
      bool is_array = kind_of(words.data()) == BtfKind::Array;
      if (is_array && btf->kind(words[common_words]) == BtfKind::Array) return true;
    }
  return false;
}

std::vector<std::string> describe_omissions(const DwarfOmissions& omissions) {
  std::vector<std::string> lines;
  if (uint64_t count = omissions.units_of_other_languages; count != 0)
    lines.push_back(fmt::format("omitted {} in other languages than C", count_of(count, "unit")));
  if (uint64_t count = omissions.unsupported_types; count != 0)
    lines.push_back(
        fmt::format("wrote {} of numbers that BTF lacks as void", count_of(count, "type")));
  if (uint64_t count = omissions.unresolved_references; count != 0)
    lines.push_back(
        fmt::format("wrote {} to what is not a type as void", count_of(count, "reference")));
  return lines;
}

}  // namespace

/// Adds the units of a file's DWARF. Whether it has types. A file that `is_alone` has the symbols
/// itself.
std::expected<bool, Error> Merger::add_dwarf(BtfSource& source, bool is_alone) {
  const std::string& path = source.name;
  ElfFile& elf = *source.elf;
  ElfDwarf dwarf;
  if (auto ok = dwarf.add(elf); !ok) return fail_in(path, ok.error());
  if (auto ok = dwarf.add_supplementary(elf, path, files_); !ok) return fail_in(path, ok.error());
  if (is_alone && !image_symbols_) TRY(read_image_symbols(path, elf));
  Stopwatch watch(merged_.statistics.classify);
  DwarfWanted wanted{.kinds = options_.features.kinds,
                     .excluded_languages = options_.excluded_languages,
                     .convention = convention_of(elf.machine)};
  if (base()) wanted.kinds.nested_arrays = has_nested_arrays(*base());
  std::optional<ImageNames> names;
  if (image_symbols_) {
    names.emplace(*image_symbols_);
    wanted.functions = &names->functions;
    wanted.variables = &names->variables;
  }
  auto types = read_dwarf(dwarf.files, wanted, options_.threads,
                          [&](std::span<const DwarfSkeleton> skeletons) {
                            return dwarf.add_split(skeletons, path, files_);
                          });
  if (!types) return fail_in(path, types.error());
  for (const std::string& line : describe_omissions(types->omissions))
    print_note("btfdedup", fmt::format("{}: {}", path, line));
  if (types->units.empty()) return false;
  if (!has_begun()) TRY(begin({path, {}, {}, std::nullopt}));
  merged_.has_dwarf = true;
  elf.sections = {};
  if (!merged_.like) merged_.like = std::move(elf);
  for (size_t i = 0; i < types->units.size(); ++i) {
    const Btf& btf = types->units[i];
    if (merged_.names.empty()) merged_.order = btf.byte_order();
    merged_.names.push_back(path);
    merged_.statistics.input.add(btf, 0);
    auto added = image_deduplicator_
                     ? image_deduplicator_->add(path, btf, std::move(types->functions[i]))
                 : base() ? split_off(btf, *base(), true)
                          : share(btf);
    if (!added) return fail_in(path, added.error());
    if (!image_deduplicator_) deduplicator_->add(path, *added);
    if (is_described_) merged_.inputs.emplace_back(std::move(*added), 0);
  }
  dwarf_strings_.push_back(types->strings);
  return true;
}

}  // namespace bpflink
