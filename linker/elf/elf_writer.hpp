// The output as an ELF file.
#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// What stands where in the output file. Bytes that no piece covers are zero.
struct ElfImage {
  uint64_t size = 0;
  std::vector<Piece> pieces;  ///< by ascending offset; valid as long as image and context
  /// What pieces show and the context does not have.
  std::vector<std::shared_ptr<const void>> tables;
};

/// Makes headers, tables and contents of the linked object, none of which is
/// copied. Errors: a symbol cannot be placed; too many sections.
std::expected<ElfImage, Error> make_elf(const Context& context);

}  // namespace bpflink
