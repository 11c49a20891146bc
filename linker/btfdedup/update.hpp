// Replacing the BTF of an ELF file.
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

/// What in an object depends on the ids, strings and places of its BTF, and how
/// it must change: .BTF.ext, the type ids that instructions hold (CO-RE), and
/// the places of .rel.BTF. The strings of .BTF.ext are added to `types`, so this
/// comes before types.finish(). Errors: .BTF.ext is malformed.
std::expected<std::vector<Patch>, Error> adapt_object(const ElfFile& elf, const Btf& btf,
                                                      const TypeMap& map, BtfBuilder& types);

/// A blob of the section .BTF of an object, of which there are several where a linker that knows
/// no BTF put them together.
struct UpdatedBlob {
  Btf btf;
  std::span<const std::byte> bytes;
  uint64_t offset;  ///< in the section
};

/// The same for relocations of the section .BTF, whose blobs get the ids of `maps` and whose new
/// contents are `blob`, which `updated` shows.
std::expected<std::vector<Patch>, Error> adapt_relocations(const ElfFile& elf,
                                                           std::span<const UpdatedBlob> blobs,
                                                           std::span<const TypeMap> maps,
                                                           const Btf& updated,
                                                           std::span<const std::byte> blob);

/// Writes the ELF file to `fd`, with `blob` as its section .BTF and the patches
/// applied, and with a new section .BTF.base where `base_blob` is not empty. The new
/// contents take the place of the old if they fit, otherwise one at the end of the
/// file. Errors: there is no section .BTF; it is loaded at run time and the new
/// contents do not fit; the file cannot be written.
std::expected<void, Error> write_updated(int fd, const ElfFile& elf,
                                         std::span<const std::byte> blob,
                                         std::span<const std::byte> base_blob,
                                         const std::vector<Patch>& patches);

}  // namespace bpflink
