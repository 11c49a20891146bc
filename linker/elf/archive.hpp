// Archives as ar makes them: members, long names, thin archives, archives in thin archives.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

struct ArchiveMember {
  std::string name;  ///< for messages: "lib.a(member.o)"
  /// Of a thin archive: the file that the member is, or the archive that it is in. Else "".
  std::string path;
  /// Within the archive, or within `nested`; else empty.
  std::span<const std::byte> image;
  /// The archive that a member of a thin one is in, if any.
  std::shared_ptr<const InputFile> nested{};
  /// Why the member cannot be found in the archive that it is in.
  std::optional<Error> failure{};
};

bool is_archive(std::span<const std::byte> image);

/// Lists the members, without symbol and name tables, of an archive that is the file `path`.
/// Own code because libelf does not read thin archives, whose members are files beside it unless
/// their names are absolute, or members of archives beside it, which are opened here. The images
/// point into `image` or what is opened. Errors: a header or member that is cut off or malformed,
/// by offset. What is wrong with a nested archive is the failure of the member.
std::expected<std::vector<ArchiveMember>, Error> read_archive(std::span<const std::byte> image,
                                                              const std::string& path);

/// The names in the symbol table that ar put in front of the members; none where there is no table
/// as GNU ar writes it, or a malformed one.
std::vector<std::string_view> read_archive_index(std::span<const std::byte> image);

/// The member as an input of its own: of a thin archive a file that is mapped, or a part of one,
/// else a part of the archive, which must outlive it. Errors: those of InputFile::open(); the
/// member's failure.
std::expected<InputFile, Error> open_member(const ArchiveMember& member);

}  // namespace bpflink
