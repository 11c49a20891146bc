// The output as an ELF file.
#pragma once

#include <expected>

#include "linker/context.hpp"

namespace bpflink {

/// Writes the linked object to `fd`, which is empty and seekable. Errors: a
/// symbol cannot be placed; the bytes cannot be written.
std::expected<void, Error> write_elf(Context& context, int fd);

}  // namespace bpflink
