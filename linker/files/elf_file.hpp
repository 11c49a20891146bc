// The sections of an ELF file of any machine, class and byte order.
#pragma once

#include <elf.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// A section header.
struct ElfSection {
  std::string_view name = {};
  uint32_t type = SHT_NULL;
  uint64_t flags = 0;    ///< SHF_*
  uint64_t address = 0;  ///< load address
  uint64_t offset = 0;   ///< in the file
  uint64_t size = 0;     ///< bytes; for SHT_NOBITS none of them are in the file
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 0;
  uint64_t entry_size = 0;
  uint32_t name_offset = 0;    ///< in the section name table
  uint64_t header_offset = 0;  ///< of the section header, in the file
};

/// Errors: the bytes of the section are not in the file, or are compressed.
std::expected<void, Error> check_contents(const ElfSection& section);

struct ElfFile {
  std::span<const std::byte> image;
  std::endian order;
  bool is_64_bit;
  uint16_t type;  ///< ET_REL, ...
  uint16_t machine;
  uint32_t flags;
  size_t name_table;                 ///< index of the string table with the sections' names
  std::vector<ElfSection> sections;  ///< by index; the first is the null section

  /// The index of the section of that name.
  std::optional<uint32_t> find(std::string_view name) const;
  std::span<const std::byte> contents(const ElfSection& section) const;
  /// The string at `offset` of a string table; nothing if it has no terminator there.
  std::optional<std::string_view> string(const ElfSection& table, uint64_t offset) const;
  /// The size of an entry of a symbol table, in bytes.
  size_t symbol_size() const { return is_64_bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }
  /// The symbol at `index` of a symbol table, which must have it, converted to 64 bits.
  Elf64_Sym symbol(const ElfSection& table, size_t index) const;
};

/// Reads the headers of an ELF file. Names point into `image`. Errors: not an ELF file according to
/// libelf; a section outside of the file; sections that share bytes with each other or a header.
std::expected<ElfFile, Error> read_elf(std::span<const std::byte> image);

}  // namespace bpflink
