// Adding a section to an ELF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include "bpflink/error.hpp"
#include "linker/btfdedup/elf_btf.hpp"

namespace bpflink {

/// Adds to `fd`, a copy of the ELF file of which nothing before `end` is changed but contents of
/// sections and their headers, a section of that name and contents that is not loaded at run time.
/// What is new stands from `end` on; the old table of sections is used no more. Errors: section
/// headers have another size than those of ELF; the file cannot be written.
std::expected<void, Error> add_section(int fd, const ElfFile& elf, uint64_t end,
                                       std::string_view name, std::span<const std::byte> contents);

}  // namespace bpflink
