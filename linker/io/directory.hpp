// Which files there are.
#pragma once

#include <sys/stat.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

/// What is at the path, behind symbolic links; nothing if there is nothing. What cannot be looked
/// at is not absent. Errors: "cannot open: " and the reason.
std::expected<std::optional<struct stat>, Error> find_file(const std::string& path);

/// The path without symbolic links, "." and ".."; nothing if there is nothing, or the user may not
/// go there. Errors: "cannot open: " and the reason.
std::expected<std::optional<std::string>, Error> canonical_path(const std::string& path);

/// Whether a directory is there. If that is not known, it is none: opening it as a file says why.
bool is_directory(const std::string& path);

/// The names in a directory but "." and "..", sorted. Errors: "cannot read: " and the reason; it
/// has more than a million.
std::expected<std::vector<std::string>, Error> list_directory(const std::string& path);

}  // namespace bpflink
