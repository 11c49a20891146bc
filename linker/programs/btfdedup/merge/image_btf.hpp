// Reads the symbols of a linked image's ELF file.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/image_btf.hpp"
#include "linker/programs/btfdedup/elf_btf.hpp"
#include "linker/programs/btfdedup/options.hpp"

namespace bpflink {

/// The functions, wanted variables and kfunc tags of a linked image. Strings are the file's.
/// Errors: there is no symbol table, or it is malformed; a variable is outside its section;
/// .BTF_ids is malformed.
std::expected<ImageSymbols, Error> read_image_symbols(const ElfFile& elf,
                                                      const DwarfFeatures& features);

/// A line for each function or variable of the image that the result lacks, with the reason.
std::vector<std::string> list_absent_functions(const ImageResult& result,
                                               const ImageSymbols& symbols);

/// The functions that the ELF file of a unit defines weakly; none if it cannot be read.
std::vector<std::string_view> find_weak_functions(std::span<const std::byte> image);

/// A reason to omit symbols: its key in JSON, and a description of such symbols.
struct OmissionText {
  ImageOmission reason;
  std::string_view key, text;
};

/// All reasons.
std::span<const OmissionText> omission_texts();

/// The omitted symbols, a line for each reason, with the first names.
std::vector<std::string> describe_omitted(const ImageResult& result);

}  // namespace bpflink
