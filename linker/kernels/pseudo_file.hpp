// Reads files that the kernel generates while they are read.
#pragma once

#include <optional>
#include <string>

#include "linker/io/input_file.hpp"

namespace bpflink {

/// Reads a file whose size is not known before reading, such as /proc/kallsyms; nothing if it
/// cannot be read.
std::optional<InputFile> read_pseudo_file(const std::string& path);

}  // namespace bpflink
