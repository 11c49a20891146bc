// Tar files (`--reproduce`).
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// Contents by path; a path that ends in '/' is a directory's.
using TarEntries = std::map<std::string, std::span<const std::byte>>;

/// Writes to `fd` a tar file as POSIX.1-2001 has it (pax). It depends on the entries alone: they
/// have no time and belong to user 0. Errors: those of write_all().
std::expected<void, Error> write_tar(int fd, const TarEntries& entries);

}  // namespace bpflink
