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

/// One blob of BTF, as it lies in a file that was opened for it.
struct BtfSource {
  std::string name;
  std::span<const std::byte> blob;
  std::optional<ElfFile> elf;  ///< nothing for raw BTF
};

/// Opens the file at `path` ("-" is standard input) and lists the blobs in it: of an archive
/// those of all members that have BTF. What is opened is added to `files`, of which the blobs
/// are views. Errors begin with the name of the file: it cannot be read, or has no BTF.
std::expected<std::vector<BtfSource>, Error> open_sources(const std::string& path,
                                                          std::vector<InputFile>& files);

}  // namespace bpflink
