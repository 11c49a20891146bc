// Type ids in the kernel's section .BTF_ids.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/dedup.hpp"
#include "linker/programs/btfdedup/elf_btf.hpp"
#include "linker/programs/btfdedup/merge/update.hpp"

namespace bpflink {

/// Whether resolve_btfids has filled the section .BTF_ids of a file: some id is not zero, or some
/// byte if there are no symbols.
bool has_btf_ids(const ElfFile& elf);

/// The type ids in the section, including 0; none if there is no section. Errors: those of
/// adapt_btf_ids().
std::expected<std::vector<uint32_t>, Error> find_btf_ids(const ElfFile& elf, const Btf& btf);

/// Patches that map the section's ids of `btf` through `map`. Errors: the section or its symbols
/// are malformed; an id is not that of a type; there are ids, but no symbols that locate them.
std::expected<std::vector<Patch>, Error> adapt_btf_ids(const ElfFile& elf, const Btf& btf,
                                                       const TypeMap& map);

/// A place in the section for the id of a type.
struct NamedBtfId {
  BtfKind kind;
  std::string_view name;
};

/// The places that resolve_btfids would fill, in order of offsets; none if somebody did, or there
/// is no section. Errors: the section or its symbols are malformed, or of an unknown kind.
std::expected<std::vector<NamedBtfId>, Error> find_unfilled_ids(const ElfFile& elf);

/// Patches that fill them with the ids of types, 0 for none, and complete the sets. Errors: the
/// same.
std::expected<std::vector<Patch>, Error> fill_btf_ids(const ElfFile& elf,
                                                      std::span<const uint32_t> ids);

/// A function that programs may call, listed in .BTF_ids.
struct Kfunc {
  std::string_view name;
  uint32_t flags;  ///< KF_*
};

/// The functions in the section's sets that are marked as sets of kfuncs. Errors: the section or
/// its symbols are malformed.
std::expected<std::vector<Kfunc>, Error> read_kfuncs(const ElfFile& elf,
                                                     std::span<const ElfSymbol> symbols);

}  // namespace bpflink
