// BTF of DWARF: the sections of an ELF file, and what deduplication makes of its units
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "bpflink/dedup.hpp"
#include "dedup/dwarf/read_dwarf.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/io/bytes.hpp"
#include "linker/programs/btfdedup/elf_dwarf.hpp"
#include "tests/fuzz/target.hpp"

namespace {

/// All words of the string table, for names of functions and variables.
std::unordered_set<std::string_view> names_of(const bpflink::ElfFile& elf) {
  std::unordered_set<std::string_view> names;
  auto table = elf.find(".strtab");
  std::string_view text = table ? bpflink::text_of(elf.contents(elf.sections[*table])) : "";
  while (!text.empty()) {
    const size_t size = std::min(text.find('\0'), text.size() - 1);
    names.insert(text.substr(0, size));
    text.remove_prefix(size + 1);
  }
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto elf = read_elf(std::as_bytes(std::span(data, size)));
  if (!elf) return 0;
  auto says_why = [](const auto& result) {
    if (!result) fuzz::require(!result.error().message.empty(), "an error says what is wrong");
    return result.has_value();
  };
  // The file is its own supplementary one, and has what other files have of units.
  ElfDwarf dwarf;
  if (!says_why(dwarf.add(*elf))) return 0;
  const size_t own = dwarf.files.size();
  if (elf->find(".gnu_debugaltlink") && !says_why(dwarf.add(*elf))) return 0;
  for (size_t i = 0; i < dwarf.files.size(); ++i) {
    if (own < dwarf.files.size()) dwarf.files[i].supplementary = &dwarf.files[own];
    dwarf.files[i].is_supplementary = i >= own;
  }
  const auto names = names_of(*elf);
  const DwarfWanted wanted{
      .functions = &names, .variables = &names, .convention = {5, {1, 2, 3, 4, 5}}};
  auto types = read_dwarf(dwarf.files, wanted, 1, [&](std::span<const DwarfSkeleton>) {
    return dwarf.add(*elf, "", ".dwo");
  });
  if (!says_why(types)) return 0;
  Deduplicator deduplicator({.threads = 1});
  for (const Btf& unit : types->units) deduplicator.add("input", unit);
  auto result = deduplicator.run();
  if (!says_why(result)) return 0;
  if (auto blob = result->types.finish(elf->order); says_why(blob))
    fuzz::require(Btf::parse(*blob).has_value(), "BTF of DWARF can be read");
  return 0;
}
