// @FILE on a command line.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// Replaces each argument "@FILE" by the arguments in FILE. They are separated by white space;
/// '...' and "..." quote, and a backslash escapes the next character. Arguments from a file are
/// expanded recursively. A "@NAME" that names no file is unchanged. Errors: a file that cannot be
/// read, an open quote, more than 16 levels of files.
std::expected<std::vector<std::string>, Error> expand_response_files(
    std::vector<std::string> arguments);

}  // namespace bpflink
