// The sections of an ELF file of any machine, class and byte order.
#pragma once

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

/// Reads the headers of an ELF file. Names point into `image`. Errors: not what
/// libelf calls an ELF file; a section outside of the file.
std::expected<ElfFile, Error> read_elf(std::span<const std::byte> image);

}  // namespace bpflink
