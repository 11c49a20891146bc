// Archives as ar makes them: members, long names, thin archives, archives in thin archives.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bpflink/error.hpp"
#include "linker/io/input_file.hpp"

namespace bpflink {

struct ArchiveMember {
  std::string name;  ///< for messages: "lib.a(member.o)"
  /// In a thin archive: the file that is the member, or the nested archive that holds it. Otherwise
  /// "".
  std::string path;
  /// Bytes in the archive or in `nested`; otherwise empty.
  std::span<const std::byte> image;
  /// The nested archive that holds this member of a thin archive, if any.
  std::shared_ptr<const InputFile> nested{};
  /// Why the nested archive does not yield the member.
  std::optional<Error> failure{};
};

bool is_archive(std::span<const std::byte> image);

/// Lists the members of the archive at `path`, without its symbol and name tables, and Rust's
/// metadata. libelf is not used because it does not read thin archives. Their members are files
/// beside the archive, unless their names are absolute, or members of archives beside it, which
/// this function opens. The images point into `image` or into opened files. Errors: a header or
/// member that is truncated or malformed, with its offset; names far longer than the archive. An
/// error in a nested archive becomes the failure of the member.
std::expected<std::vector<ArchiveMember>, Error> read_archive(std::span<const std::byte> image,
                                                              const std::string& path);

/// The names in the archive's symbol table; empty if there is no table in GNU ar's format, or a
/// malformed one.
std::vector<std::string_view> read_archive_index(std::span<const std::byte> image);

/// Opens the member as an input: a mapped file or a part of one for a thin archive, otherwise a
/// part of the archive, which must outlive it. Errors: those of InputFile::open_regular(); the
/// member's failure.
std::expected<InputFile, Error> open_member(const ArchiveMember& member);

/// The opened members of thin archives: one may name a file thousands of times.
class SeenMembers {
 public:
  /// Whether `file`, which open_member() opened, is another one than all before it.
  bool insert(const ArchiveMember& member, const InputFile& file);

 private:
  std::set<std::tuple<dev_t, ino_t, ptrdiff_t>> seen_;  ///< files, and offsets into them
};

}  // namespace bpflink
