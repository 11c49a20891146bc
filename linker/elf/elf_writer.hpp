// The output as an ELF file.
#pragma once

#include <expected>

#include "linker/context.hpp"

namespace bpflink {

/// Writes the linked object to `fd`, a file that is empty. Errors: there are too
/// many sections; the bytes cannot be written.
std::expected<void, Error> write_elf(const Context& context, int fd);

}  // namespace bpflink
