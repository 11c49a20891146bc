// @FILE on a command line.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Replaces each argument "@FILE" by the arguments in FILE: separated by white
/// space, with '...' and "..." around one that has some, and a backslash before
/// a character to take as it is. Arguments from a file are expanded too. A
/// "@NAME" that names no file stays as it is. Errors: a file that cannot be
/// read, an open quote, files within files beyond 16 levels.
std::expected<std::vector<std::string>, Error> expand_response_files(
    std::vector<std::string> arguments);

}  // namespace bpflink
