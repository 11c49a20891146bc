// The sources of BTF: raw files, ELF files, archives, kernels in every form, directories, standard
// input; and the bases that they are split from.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/relocations/candidates.hpp"
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

/// The types of one file or member of an archive, in its bytes.
struct BtfSource {
  std::string name;
  std::span<const std::byte> contents;  ///< the section, or the file: one or more blobs
  std::span<const std::byte> base;      ///< its section .BTF.base, or empty
  /// Nothing for raw BTF. Only with DWARF it has its sections. Of decompressed files only BPF
  /// objects and those with DWARF have their bytes.
  std::optional<ElfFile> elf;
  bool is_linked = false;  ///< part of a linked file: an ELF file for execution, or a memory image
  bool has_dwarf = false;  ///< the types are in its DWARF, not in BTF
};

/// What types of an ELF file are wanted.
enum class TypesOf : uint8_t { Btf, BtfOrDwarf, Dwarf };

/// The sources in a file.
struct Sources {
  std::vector<BtfSource> list;
  std::string lack;  ///< why the list is empty, beginning with the name of the file
};

/// Opens the input ("-" is standard input) and lists the types in it: all members of an
/// archive that have some, or what unpack_kernel() finds. The list is empty for an ELF file, image
/// or archive without types. Opened files are added to `files`; the sources are views of them.
/// Errors begin with the name of the file: it cannot be read or unpacked.
std::expected<Sources, Error> open_sources(const InputPath& input, std::vector<InputFile>& files,
                                           TypesOf wanted = TypesOf::Btf);

/// Opens an ELF file, which may be compressed. It is a view of what is added to `files`. Errors
/// begin with the path.
std::expected<ElfFile, Error> open_elf(const std::string& path, std::vector<InputFile>& files);

/// What inputs are split from: BTF that may itself be split.
struct Base {
  std::string name;
  Btf btf;
  size_t size;  ///< bytes of the blob
};

/// Each is split from the one before. They do not move. Runs for several modules share them.
using Bases = std::vector<std::shared_ptr<const Base>>;

/// The last of them, or null.
const Btf* last_of(const Bases& bases);

/// Reads the BTF of the file at `path`, and before it the file's section .BTF.base, if it has one.
/// Opened files are added to `files`; the bases are views of them. Errors: there is no BTF, or
/// several; it has a section .BTF.base but is not the first, or must be `whole`: that section has
/// only the sizes of structs; it is malformed.
std::expected<void, Error> read_base(Bases& bases, const std::string& path, bool whole,
                                     std::vector<InputFile>& files);

/// Moves modules from their section .BTF.base to a base, as the kernel does when it loads them.
class ModuleRelocator {
 public:
  /// Indexes the names of the base, which must stand alone and outlive this object.
  explicit ModuleRelocator(const Btf& base);

  /// The BTF of a source that has .BTF.base, as split from the base. Errors begin with its name:
  /// those of relocate_base().
  std::expected<std::vector<std::byte>, Error> relocate(const BtfSource& source) const;

 private:
  const Btf& base_;
  NamedTypes names_;
};

/// Adds the section .BTF.base of a source, if it has one. Errors begin with the source's name:
/// there are bases already; the section is malformed, or not one blob.
std::expected<void, Error> add_own_base(Bases& bases, const BtfSource& source);

}  // namespace bpflink
