// The object reader: ELF with symbols, relocations, BTF and .BTF.ext, and the lines of DWARF
#include "linker/files/object_file.hpp"
#include "linker/text/locations.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bpflink;
  auto object = ObjectFile::read("input.o", std::as_bytes(std::span(data, size)),
                                 {.keep_debug = size % 2 == 0});
  if (!object) {
    fuzz::require(!object.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const ObjectFile& file = **object;
  for (const InputSection& section : file.sections) {
    fuzz::require(section.data.size() <= size, "contents are inside the file");
    for (const Relocation& relocation : section.relocations) {
      fuzz::require(relocation.offset < section.size, "relocations are inside their section");
      fuzz::require(relocation.symbol < file.symbols.size(), "relocations name a symbol");
      location_of(file, section, relocation.offset);
      file.describe_place(section, relocation.offset);
    }
  }
  for (const InputSymbol& symbol : file.symbols) {
    if (!symbol.is_in_section()) continue;
    fuzz::require(symbol.section < file.sections.size(), "symbols are in a section");
    bool is_inside = symbol.value <= file.sections[symbol.section].size;
    fuzz::require(symbol.section == 0 ? symbol.is_section() : is_inside, "symbols have places");
  }
  for (const auto& [name, line] : file.dwarf_lines().by_name)
    fuzz::require(!name.empty() && !line.file.empty() && line.line != 0, "lines are known");
  return 0;
}
