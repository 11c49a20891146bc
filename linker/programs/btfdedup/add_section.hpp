// Adds a section to an ELF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "bpflink/error.hpp"
#include "linker/programs/btfdedup/elf_btf.hpp"

namespace bpflink {

/// A section that has other contents in a copy of the file.
struct ReplacedSection {
  uint32_t index;
  uint64_t offset, size;
};

/// Adds a section with that name and contents, which is not loaded at run time. `fd` is a copy of
/// the ELF file in which only contents of sections have changed before `end`, and which has the
/// section `replaced`. New data is written from `end` on; the old section header table becomes
/// unused. Errors: the file cannot be written.
std::expected<void, Error> add_section(int fd, const ElfFile& elf, const ReplacedSection& replaced,
                                       uint64_t end, std::string_view name,
                                       std::span<const std::byte> contents);

}  // namespace bpflink
