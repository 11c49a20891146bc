// The DWARF of ELF files.
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include "bpflink/error.hpp"
#include "dedup/dwarf/sections.hpp"
#include "linker/files/elf_file.hpp"

namespace bpflink {

/// Sections of DWARF, views of the file's image, or of what had to be changed to be read.
struct ElfDwarf {
  DwarfSections sections;
  std::vector<std::vector<std::byte>> changed;
};

/// The DWARF of a file; without entries if it has none. Errors: a section is compressed, has no
/// contents, or is malformed.
std::expected<ElfDwarf, Error> read_elf_dwarf(const ElfFile& elf);

}  // namespace bpflink
