#include "linker/files/gas_dialect.hpp"

#include <algorithm>
#include <charconv>

#include "linker/error.hpp"

namespace bpflink {
namespace {

constexpr uint32_t R_BPF_DATA_32 = 11, R_BPF_DATA_64 = 12;

/// Calls `visit` for each relocation whose addend depends on the reading, with the other reading's.
template <typename File, typename Visit>
void for_each_relative_to_value(File& object, Visit visit) {
  for (auto& section : object.sections)
    for (auto& relocation : section.relocations) {
      const InputSymbol& symbol = object.symbols[relocation.symbol];
      if (!symbol.is_in_section() || symbol.is_section() || symbol.value == 0) continue;
      // Unsigned: what a malformed file claims may wrap around.
      uint64_t unit = relocation.type == R_BPF_64_32 ? insn_size : 1;
      uint64_t without = static_cast<uint64_t>(relocation.addend) - unit * symbol.value;
      visit(section, relocation, static_cast<int64_t>(without));
    }
}

/// Whether compilers write such a reference: to the beginning of a function, or to a byte of a
/// variable or its end.
bool is_plausible(const ObjectFile& object, const Relocation& relocation, int64_t addend) {
  const InputSymbol& symbol = object.symbols[relocation.symbol];
  if (relocation.type == R_BPF_64_32 || symbol.type == STT_FUNC) return addend == 0;
  uint64_t rest = object.sections[symbol.section].size - symbol.value;
  return addend >= 0 && static_cast<uint64_t>(addend) <= (symbol.size != 0 ? symbol.size : rest);
}

/// The first version of gcc that writes assembly which GNU as before 2.41 cannot read.
constexpr int first_newer_gcc = 14;

/// Whether .comment names only older versions of gcc, or only newer compilers; nothing if it names
/// both, none, or a version that cannot be read.
std::optional<bool> is_of_older_gcc(const ObjectFile& object) {
  const InputSection* comment = object.find_section(".comment");
  if (!comment) return std::nullopt;
  std::string_view text(reinterpret_cast<const char*>(comment->data.data()), comment->data.size());
  bool some_older = false, some_newer = text.find("clang") != text.npos;
  constexpr std::string_view begin = "GCC: (";
  for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    size_t version = std::min(text.find(") ", at), text.size() - 2) + 2;
    int number = 0;
    auto read = std::from_chars(text.data() + version, text.data() + text.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    (number < first_newer_gcc ? some_older : some_newer) = true;
  }
  if (some_older == some_newer) return std::nullopt;
  return some_older;
}

}  // namespace

uint32_t DataTypes::standardize(uint32_t type) {
  switch (type) {
    case R_BPF_DATA_32:
      has_old = true;
      return R_BPF_64_ABS32;
    case R_BPF_DATA_64:
      has_old = true;
      return R_BPF_64_ABS64;
    case R_BPF_64_ABS32:
    case R_BPF_64_ABS64:
    case R_BPF_64_NODYLD32:
      has_standard = true;
      return type;
    default:
      return type;
  }
}

std::expected<bool, Error> fields_include_values(const ObjectFile& object, const ElfFile& elf,
                                                 const DataTypes& types) {
  if (types.has_old != types.has_standard) return types.has_old;
  // GNU as writes the CPU version to the header since 2.42, and gives the names of sections a
  // string table of their own; LLVM does not.
  bool shares_names = std::ranges::any_of(object.sections, [&](const InputSection& section) {
    return section.type == SHT_SYMTAB && section.link == elf.name_table;
  });
  if (!types.has_old && (elf.flags != 0 || shares_names)) return false;

  // A relocation that speaks for the old reading, or does not exclude it.
  const Relocation* old = nullptr;
  const InputSection* holder = nullptr;
  int64_t old_addend = 0;
  bool some_include = false, some_omit = false;
  for_each_relative_to_value(
      object, [&](const InputSection& section, const Relocation& relocation, int64_t without) {
        bool may_omit = is_plausible(object, relocation, relocation.addend);
        bool may_include = is_plausible(object, relocation, without);
        some_include |= may_include && !may_omit;
        some_omit |= may_omit && !may_include;
        if (!may_include) return;
        old = &relocation;
        holder = &section;
        old_addend = without;
      });
  if (some_include != some_omit || !old) return some_include;
  if (auto is_older = is_of_older_gcc(object); is_older && !some_omit) return *is_older;
  return fail(
      "relocation {} at {}+{:#x} refers to '{}'+{:#x} or, if GNU as before 2.41 wrote it, to "
      "+{:#x}: "
      "assemble with a newer version, or compile with -g",
      relocation_name(old->type), holder->name, old->offset, object.symbols[old->symbol].name,
      old->addend, old_addend);
}

void subtract_symbol_values(ObjectFile& object) {
  for_each_relative_to_value(object, [](const InputSection&, Relocation& relocation,
                                        int64_t without) { relocation.addend = without; });
}

}  // namespace bpflink
