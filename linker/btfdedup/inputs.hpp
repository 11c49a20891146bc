// Where BTF comes from: raw files, ELF files, archives, standard input.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/btfdedup/elf_btf.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

/// The BTF of one file or member of an archive, as it lies there.
struct BtfSource {
  std::string name;
  std::span<const std::byte> contents;  ///< of the section, or the file: one blob or several
  std::span<const std::byte> base;  ///< what it says that it is split from (.BTF.base), or empty
  std::optional<ElfFile> elf;       ///< without its sections; nothing for raw BTF
};

/// What is listed of a file.
struct Sources {
  std::vector<BtfSource> list;
  std::string lack;  ///< why nothing is listed, beginning with the name of the file
};

/// Opens the file at `path` ("-" is standard input) and lists the BTF in it: of an archive that of
/// all members that have some, and nothing of an ELF file or archive that has none. What is opened
/// is added to `files`, of which the sources are views. Errors begin with the name of the file: it
/// cannot be read.
std::expected<Sources, Error> open_sources(const std::string& path, std::vector<InputFile>& files);

}  // namespace bpflink
