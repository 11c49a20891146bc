// A link in a tar file, for a bug report (`--reproduce`).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/options/link_options.hpp"

namespace bpflink {

/// Writes what `command.reproduce_file` asks for of a link by `program` to `output`. Call it before
/// the link, which may fail or crash: that is what is to be reproduced. Returns the files that only
/// archives name and that the tar lacks. Errors: the file cannot be written, or is an input or
/// another output.
std::expected<std::vector<std::string>, Error> write_reproducer(std::string_view program,
                                                                const LinkCommand& command,
                                                                const std::string& output);

}  // namespace bpflink
