// Type ids in the kernel's section .BTF_ids.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/btfdedup/elf_btf.hpp"
#include "linker/btfdedup/update.hpp"

namespace bpflink {

/// Whether resolve_btfids has filled the section .BTF_ids of a file: some id is not zero, or, where
/// no symbols say what is an id, some byte.
bool has_btf_ids(const ElfFile& elf);

/// The type ids in the section, 0 among them, none where there is no section. Errors: those of
/// adapt_btf_ids().
std::expected<std::vector<uint32_t>, Error> find_btf_ids(const ElfFile& elf, const Btf& btf);

/// What becomes of the section, if there is one, when the types of `btf` get the ids of `map`.
/// Errors: the section or its symbols are malformed; an id is not that of a type; there are ids,
/// but no symbols that say where.
std::expected<std::vector<Patch>, Error> adapt_btf_ids(const ElfFile& elf, const Btf& btf,
                                                       const TypeMap& map);

/// A function that the kernel offers to programs, as the section .BTF_ids lists it.
struct Kfunc {
  std::string_view name;
  uint32_t flags;  ///< KF_*
};

/// The functions in those sets of the section, if there is one, that are marked as of kfuncs.
/// Errors: the section or its symbols are malformed.
std::expected<std::vector<Kfunc>, Error> read_kfuncs(const ElfFile& elf,
                                                     std::span<const ElfSymbol> symbols);

}  // namespace bpflink
