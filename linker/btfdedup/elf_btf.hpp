// BTF in ELF files of any machine, class and byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// What of an ELF file matters here.
struct ElfSection {
  std::string_view name;
  uint32_t type;
  uint64_t flags;
  uint64_t address;
  uint64_t offset;  ///< in the file
  uint64_t size;    ///< bytes; for SHT_NOBITS none of them are in the file
  uint32_t link;
  uint32_t info;
  uint64_t entry_size;
  uint64_t header_offset;  ///< where in the file its section header is
};

struct ElfFile {
  std::span<const std::byte> image;
  std::endian order;
  bool is_64_bit;
  uint16_t type;  ///< ET_REL, ...
  uint16_t machine;
  uint32_t flags;
  std::vector<ElfSection> sections;  ///< by index

  /// The index of the section of that name.
  std::optional<uint32_t> find(std::string_view name) const;
  std::span<const std::byte> contents(const ElfSection& section) const;
};

/// A symbol that is defined.
struct ElfSymbol {
  static constexpr size_t longest_name = 512;
  std::string_view name;  ///< the beginning of a longer one
  uint64_t value;    ///< as the table has it: from ET_REL an offset in the section, else an address
  uint64_t size;     ///< bytes, or 0
  uint32_t section;  ///< its index, or one that no section has
  uint8_t type;      ///< STT_FUNC, ...
  uint8_t binding;   ///< STB_LOCAL, ...
};

/// Reads the headers of an ELF file. Names point into `image`. Errors: not what
/// libelf calls an ELF file; a section outside of the file.
std::expected<ElfFile, Error> read_elf(std::span<const std::byte> image);

/// The symbols that are defined, in the order of the table. Errors: the symbol table is malformed.
std::expected<std::vector<ElfSymbol>, Error> read_symbols(const ElfFile& elf);

/// Writes to `fd` an object for the machine of `like` (for BPF if null) that has
/// nothing but a section .BTF, and .BTF.base where `base` is not empty.
std::expected<void, Error> write_btf_object(int fd, std::span<const std::byte> btf,
                                            std::span<const std::byte> base, std::endian order,
                                            const ElfFile* like);

}  // namespace bpflink
