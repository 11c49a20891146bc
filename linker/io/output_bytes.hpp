// The output's bytes on their way out: into a file, into memory, or to a
// descriptor of the caller's.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "linker/elf/elf_writer.hpp"

namespace bpflink {

/// Writes the image to `fd`, a file that is empty. Blocks of zeros become holes.
/// Errors: the bytes cannot be written.
std::expected<void, Error> write_to_file(const ElfImage& image, int fd);

/// The image as it would be in a file.
std::vector<std::byte> write_to_memory(const ElfImage& image);

/// Writes bytes to `fd`: over the whole file where it can be sought, else at its
/// end. Errors: the bytes cannot be written.
std::expected<void, Error> write_to_fd(std::span<const std::byte> bytes, int fd);

}  // namespace bpflink
