// Tar files: those of `--reproduce`, and archives of kernels' BTF.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "bpflink/error.hpp"

namespace bpflink {

/// Contents by path; a path that ends in '/' is a directory's.
using TarEntries = std::map<std::string, std::span<const std::byte>>;

/// Writes to `fd` a tar file as POSIX.1-2001 has it (pax). It depends on the entries alone: they
/// have no time and belong to user 0. Errors: those of write_all().
std::expected<void, Error> write_tar(int fd, const TarEntries& entries);

/// A file in an archive.
struct TarMember {
  std::string_view name;
  std::span<const std::byte> contents;
};

/// Whether `bytes` begin like a tar file, in POSIX's format or GNU's variant.
bool is_tar(std::span<const std::byte> bytes);

/// The only file whose name ends in `suffix`, or else the only file. Errors: there is none, or are
/// several; the tar file is damaged or truncated.
std::expected<TarMember, Error> find_tar_member(std::span<const std::byte> archive,
                                                std::string_view suffix);

}  // namespace bpflink
