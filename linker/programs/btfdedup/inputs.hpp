// The sources of BTF: raw files, ELF files, archives, kernels in every form, directories, standard
// input.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"
#include "linker/programs/btfdedup/elf_btf.hpp"

namespace bpflink {

/// A file to read, given or found in a given directory.
struct InputPath {
  std::string path;
  bool is_listed = false;  ///< in a directory
};

/// The inputs at `paths`, where the files with BTF in a directory stand for it: kernels, modules,
/// objects and archives. If the inputs are `split`, only modules do: beside them are kernels.
/// Errors begin with the path: a directory or a file in it cannot be read, or it has none.
std::expected<std::vector<InputPath>, Error> list_inputs(const std::vector<std::string>& paths,
                                                         bool split);

/// The base at `path`: a file, or the only kernel in a directory. Errors begin with the path.
std::expected<InputPath, Error> find_base_file(const std::string& path);

/// The BTF of one file or member of an archive, in its bytes.
struct BtfSource {
  std::string name;
  std::span<const std::byte> contents;  ///< the section, or the file: one or more blobs
  std::span<const std::byte> base;      ///< its section .BTF.base, or empty
  /// Without its sections; nothing for raw BTF. Of decompressed files only BPF objects have their
  /// bytes.
  std::optional<ElfFile> elf;
  bool is_linked = false;  ///< part of a linked file: an ELF file for execution, or a memory image
};

/// The sources in a file.
struct Sources {
  std::vector<BtfSource> list;
  std::string lack;  ///< why the list is empty, beginning with the name of the file
};

/// Opens the input ("-" is standard input) and lists the BTF in it: all members of an
/// archive that have some, or what unpack_kernel() finds. The list is empty for an ELF file, image
/// or archive without BTF. Opened files are added to `files`; the sources are views of them. Errors
/// begin with the name of the file: it cannot be read or unpacked.
std::expected<Sources, Error> open_sources(const InputPath& input, std::vector<InputFile>& files);

/// Opens an ELF file, which may be compressed. It is a view of what is added to `files`. Errors
/// begin with the path.
std::expected<ElfFile, Error> open_elf(const std::string& path, std::vector<InputFile>& files);

}  // namespace bpflink
