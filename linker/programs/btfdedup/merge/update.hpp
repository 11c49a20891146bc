// Replaces the BTF of an ELF file (`--update`).
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/files/btf_ext.hpp"
#include "linker/io/input_file.hpp"
#include "linker/programs/btfdedup/elf_btf.hpp"

namespace bpflink {

/// Bytes to write over those of a file.
struct Patch {
  uint64_t offset;
  std::vector<std::byte> bytes;
};

/// A blob of an object's section .BTF. A linker that knows no BTF concatenates several.
struct UpdatedBlob {
  Btf btf;
  std::span<const std::byte> bytes;
  uint64_t offset;  ///< in the section
};

/// An ELF file whose BTF is replaced, and with it what refers to types. Errors do not name the
/// file.
class UpdatedFile {
 public:
  /// Errors: it cannot be read, is not an ELF file, or has no contents of a section .BTF, unless
  /// `may_lack_btf`: write() adds the section then.
  static std::expected<UpdatedFile, Error> open(const std::string& path, bool may_lack_btf);

  const ElfFile& elf() const { return elf_; }

  /// Whether sections refer to types by id, so that only one blob of the file's own can replace
  /// .BTF: their name, or "".
  std::string_view section_with_ids() const;

  /// Adapts .BTF.ext, .BTF_ids, and instructions that hold type ids (CO-RE) to the ids that `map`
  /// gives the file's types. Adds the strings of .BTF.ext to `types`, so call it before
  /// types.finish(). Errors: one of these sections is malformed.
  std::expected<void, Error> adapt_ids(const Btf& btf, const TypeMap& map, BtfBuilder& types);

  /// Adapts the relocations of section .BTF. Its blobs get the ids of `maps`; its new contents are
  /// `blob`, parsed as `updated`. Errors: a relocation is not of a type.
  std::expected<void, Error> adapt_relocations(std::span<const UpdatedBlob> blobs,
                                               std::span<const TypeMap> maps, const Btf& updated,
                                               std::span<const std::byte> blob);

  /// Fills .BTF_ids with the ids of what find_unfilled_ids() lists. Errors: those of
  /// fill_btf_ids().
  std::expected<void, Error> fill_ids(std::span<const uint32_t> ids);

  /// Writes the file to `fd`, with `blob` as its section .BTF, and with a new section .BTF.base if
  /// `base_blob` is not empty. The new contents replace the old ones if they fit, and otherwise go
  /// to the end of the file. Errors: the section is loaded at run time and the new contents do not
  /// fit; the file cannot be written.
  std::expected<void, Error> write(int fd, std::span<const std::byte> blob,
                                   std::span<const std::byte> base_blob) const;

 private:
  UpdatedFile(InputFile file, ElfFile elf) : file_(std::move(file)), elf_(std::move(elf)) {}
  void adapt_records(std::span<const std::byte> section, const BtfExt& ext, const Btf& btf,
                     const TypeMap& map, BtfBuilder& types);
  void adapt_instructions(const BtfExt& ext, const TypeMap& map);

  InputFile file_;
  ElfFile elf_;  ///< a view of the file
  std::vector<Patch> patches_;
};

}  // namespace bpflink
