// What the ELF file of a linked program tells of what is in it.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/linked.hpp"
#include "linker/btfdedup/elf_btf.hpp"

namespace bpflink {

/// The functions of a linked program, the variables that each CPU has of its own, and the tags of
/// kfuncs. Strings are the file's. Errors: there is no symbol table, or it is malformed; a variable
/// is outside its section; .BTF_ids is malformed.
std::expected<LinkedSymbols, Error> read_linked_symbols(const ElfFile& elf);

/// Why a symbol is omitted: as JSON has it, and which symbols that are.
struct OmissionText {
  LinkedOmission reason;
  std::string_view key, text;
};

/// All reasons.
std::span<const OmissionText> omission_texts();

/// What was omitted, a line for each reason, with the first names.
std::vector<std::string> describe_omitted(const LinkedResult& result);

}  // namespace bpflink
