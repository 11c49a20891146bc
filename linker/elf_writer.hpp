// The output as an ELF file.
#pragma once

#include <deque>
#include <expected>

#include "linker/context.hpp"

namespace bpflink {

/// What stands where in the output file. Bytes that no piece covers are zero.
struct ElfImage {
  uint64_t size = 0;
  std::vector<Piece> pieces;  ///< by ascending offset; valid as long as image and context
  std::deque<std::vector<std::byte>> tables;  ///< what pieces show and the context does not have
};

/// Makes headers, tables and contents of the linked object, none of which is
/// copied. Errors: a symbol cannot be placed; too many sections.
std::expected<ElfImage, Error> make_elf(const Context& context);

}  // namespace bpflink
