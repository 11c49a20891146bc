// The sources of BTF: raw files, ELF files, archives, standard input.
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

/// The BTF of one file or member of an archive, in its bytes.
struct BtfSource {
  std::string name;
  std::span<const std::byte> contents;  ///< the section, or the file: one or more blobs
  std::span<const std::byte> base;      ///< its section .BTF.base, or empty
  std::optional<ElfFile> elf;           ///< without its sections; nothing for raw BTF
};

/// The sources in a file.
struct Sources {
  std::vector<BtfSource> list;
  std::string lack;  ///< why the list is empty, beginning with the name of the file
};

/// Opens the file at `path` ("-" is standard input) and lists the BTF in it: all members of an
/// archive that have some. The list is empty for an ELF file or archive without BTF. Opened files
/// are added to `files`; the sources are views of them. Errors begin with the name of the file: it
/// cannot be read.
std::expected<Sources, Error> open_sources(const std::string& path, std::vector<InputFile>& files);

}  // namespace bpflink
