// Lists the files in a directory and below it.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// The paths of all regular files in `directory` and below, sorted by name, directory by directory.
/// Symbolic links to directories are not followed, links to files are, but what is listed by
/// another name is not listed by its link again. Names that begin with a dot are skipped, and so
/// are directories for whose name `enters` returns false. A link that cannot be followed is listed,
/// one that leads nowhere is not. Errors begin with the path: a directory cannot be read, is 64
/// levels deep, or there are more than a million names.
std::expected<std::vector<std::string>, Error> list_files(
    const std::string& directory, const std::function<bool(const std::string& name)>& enters);

/// The first bytes of a file, up to the size of `buffer`. Errors begin with the path: it cannot be
/// read.
std::expected<std::span<const std::byte>, Error> read_begin(const std::string& path,
                                                            std::span<std::byte> buffer);

}  // namespace bpflink
