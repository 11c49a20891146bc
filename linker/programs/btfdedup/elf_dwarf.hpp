// The DWARF of ELF files.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "dedup/dwarf/sections.hpp"
#include "dedup/dwarf/unit_types.hpp"
#include "linker/files/elf_file.hpp"
#include "linker/io/input_file.hpp"
#include "linker/kernels/owned_bytes.hpp"

namespace bpflink {

/// The DWARF of a file and of those that it refers to: views of the files' images, and of what had
/// to be changed to be read. Errors about another file than the first begin with its name.
struct ElfDwarf {
  DwarfFiles files;
  std::vector<OwnedBytes> changed{};

  /// Adds the DWARF of a file, or, with the suffix ".dwo", what it has of units of others. `prefix`
  /// is for messages about what is in it. Errors: it has none; a section is compressed in an
  /// unknown way, has no contents, or is malformed.
  std::expected<void, Error> add(const ElfFile& elf, const std::string& prefix = {},
                                 std::string_view suffix = {});

  /// Adds the supplementary file of the file at `path`, as dwz -m makes it, if there is one. Opened
  /// files are added to `opened`. Errors: it cannot be read; it is of another build.
  std::expected<void, Error> add_supplementary(const ElfFile& elf, const std::string& path,
                                               std::vector<InputFile>& opened);

  /// Adds the .dwo files that units of the file at `path` are in, or its package of these:
  /// PATH.dwp. Errors: a file cannot be read.
  std::expected<void, Error> add_split(std::span<const DwarfSkeleton> skeletons,
                                       const std::string& path, std::vector<InputFile>& opened);
};

}  // namespace bpflink
