// Replaces the BTF of an ELF file.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/btfdedup/elf_btf.hpp"

namespace bpflink {

/// Bytes to write over those of a file.
struct Patch {
  uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Patches for the parts of an object that depend on type ids and strings: .BTF.ext, and
/// instructions that hold type ids (CO-RE). The strings of .BTF.ext are added to `types`, so call
/// this before types.finish(). Errors: .BTF.ext is malformed.
std::expected<std::vector<Patch>, Error> adapt_object(const ElfFile& elf, const Btf& btf,
                                                      const TypeMap& map, BtfBuilder& types);

/// A blob of an object's section .BTF. A linker that knows no BTF concatenates several.
struct UpdatedBlob {
  Btf btf;
  std::span<const std::byte> bytes;
  uint64_t offset;  ///< in the section
};

/// Patches for the relocations of section .BTF. Its blobs get the ids of `maps`; its new contents
/// are `blob`, parsed as `updated`.
std::expected<std::vector<Patch>, Error> adapt_relocations(const ElfFile& elf,
                                                           std::span<const UpdatedBlob> blobs,
                                                           std::span<const TypeMap> maps,
                                                           const Btf& updated,
                                                           std::span<const std::byte> blob);

/// Writes the ELF file to `fd`, with `blob` as its section .BTF and the patches applied, and with a
/// new section .BTF.base if `base_blob` is not empty. The new contents replace the old ones if they
/// fit, and otherwise go to the end of the file. Errors: there is no section .BTF; it is loaded at
/// run time and the new contents do not fit; the file cannot be written.
std::expected<void, Error> write_updated(int fd, const ElfFile& elf,
                                         std::span<const std::byte> blob,
                                         std::span<const std::byte> base_blob,
                                         const std::vector<Patch>& patches);

}  // namespace bpflink
