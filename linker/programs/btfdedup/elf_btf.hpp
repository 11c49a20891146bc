// BTF in ELF files of any machine, class and byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "linker/files/elf_file.hpp"

namespace bpflink {

/// A defined symbol.
struct ElfSymbol {
  static constexpr size_t longest_name = 512;
  std::string_view name;  ///< cut to longest_name
  uint64_t value;         ///< for ET_REL an offset in the section, else an address
  uint64_t size;          ///< bytes, or 0
  uint32_t section;       ///< its index, which may be out of range
  uint8_t type;           ///< STT_FUNC, ...
  uint8_t binding;        ///< STB_LOCAL, ...
};

/// The defined symbols, in the order of the table. Errors: the symbol table is malformed.
std::expected<std::vector<ElfSymbol>, Error> read_symbols(const ElfFile& elf);

/// Writes to `fd` an object for the machine of `like` (for BPF if null) with only a section .BTF,
/// and .BTF.base if `base` is not empty.
std::expected<void, Error> write_btf_object(int fd, std::span<const std::byte> btf,
                                            std::span<const std::byte> base, std::endian order,
                                            const ElfFile* like);

}  // namespace bpflink
