// Archives as ar makes them: members, long names, thin archives.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

struct ArchiveMember {
  std::string name;  ///< for messages: "lib.a(member.o)"
  /// Of a thin archive: where the file is that the member is. Else "".
  std::string path;
  /// Within the archive; empty in a thin one.
  std::span<const std::byte> image;
};

bool is_archive(std::span<const std::byte> image);

/// Lists the members, without symbol and name tables, of an archive that is the file `path`.
/// Own code because libelf does not read thin archives, whose members are files beside it unless
/// their names are absolute. The images point into `image`. Errors: a header or member that is
/// cut off or malformed, by offset.
std::expected<std::vector<ArchiveMember>, Error> read_archive(std::span<const std::byte> image,
                                                              const std::string& path);

/// The member as an input of its own: of a thin archive a file that is mapped, else a part of
/// the archive, which must outlive it. Errors: those of InputFile::open().
std::expected<InputFile, Error> open_member(const ArchiveMember& member);

}  // namespace bpflink
