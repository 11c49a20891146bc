// Archives as ar makes them: members, long names, thin archives.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

struct ArchiveMember {
  std::string name;
  /// Within the archive; empty in a thin archive, whose members are files of
  /// their own, beside it unless their name is absolute.
  std::span<const std::byte> image;
};

struct Archive {
  bool is_thin = false;
  std::vector<ArchiveMember> members;
};

bool is_archive(std::span<const std::byte> image);

/// Lists the members, without symbol and name tables. Own code because libelf
/// does not read thin archives. The images point into `image`. Errors: a header
/// or member that is cut off or malformed, by offset.
std::expected<Archive, Error> read_archive(std::span<const std::byte> image);

}  // namespace bpflink
