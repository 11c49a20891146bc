// An ELF file as separate sections, which a mutator can change and write back. Shares no code with
// the linker's reader.
#pragma once

#include <elf.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace bpflink::fuzz {

using Bytes = std::vector<uint8_t>;

struct ElfSection {
  Elf64_Shdr header;  ///< in host byte order
  Bytes bytes;        ///< empty for SHT_NOBITS
};

struct ElfImage {
  Elf64_Ehdr header;  ///< in host byte order
  std::vector<ElfSection> sections;

  /// Nothing if the file is not a 64-bit ELF file with all sections inside it.
  static std::optional<ElfImage> read(std::span<const uint8_t> file);

  /// The file, with section offsets, sizes and the offset of the header table adapted. NOBITS
  /// sections keep their claimed size.
  Bytes write() const;

  std::endian byte_order() const {
    return header.e_ident[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
  }
  std::string_view name_of(const ElfSection& section) const;
  ElfSection* find(std::string_view name);
};

}  // namespace bpflink::fuzz
