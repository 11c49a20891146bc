// The image of an object file, read with or without what hardly any link looks at.
#pragma once

#include <elf.h>

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/open_file.hpp"

namespace bpflink {

/// Whether a section is DWARF, which is not linked unless that is asked for.
inline bool is_dwarf(std::string_view name, const Elf64_Shdr& header) {
  bool has_contents = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_NOBITS;
  return has_contents && (header.sh_flags & SHF_ALLOC) == 0 && name.starts_with(".debug_");
}

/// Reads a file to `image`, which gets its size. Errors: those of OpenFile::read().
std::expected<void, Error> read_whole(const OpenFile& file, std::vector<std::byte>& image);

/// Reads a file to where it stands in `image`, which gets the file's size, but for the
/// contents of DWARF and the relocations of that, half of an object or more: in their place
/// is whatever `image` had there. A file in which these are not plainly to be found is read
/// as a whole. Errors: as above.
std::expected<void, Error> read_without_dwarf(const OpenFile& file, std::vector<std::byte>& image);

}  // namespace bpflink
