// The output where it is not a file of its own: in memory, or behind a
// descriptor of the caller's.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "linker/context.hpp"

namespace bpflink {

/// The linked object's bytes. Errors: those of write_elf(); no memory.
std::expected<std::vector<std::byte>, Error> write_to_memory(Context& context);

/// Writes them to `fd`: over the whole file where it can be sought, else at its
/// end. Errors: the bytes cannot be written.
std::expected<void, Error> write_to_fd(std::span<const std::byte> bytes, int fd);

}  // namespace bpflink
