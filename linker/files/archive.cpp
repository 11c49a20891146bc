#include "linker/files/archive.hpp"

#include <ar.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {
namespace {

constexpr std::string_view regular_magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::string_view bsd_long_name = "#1/";

/// How deeply thin archives may nest.
constexpr int max_depth = 8;
/// The longest name of a member, which is a path in a thin archive.
constexpr size_t max_name_length = 4096;
/// The names of all members, which may share one entry of the name table: per byte of the archive,
/// and in any.
constexpr uint64_t max_names_per_byte = 16, max_names_always = 16 << 20;

std::string_view without_trailing(std::string_view text, char c) {
  while (text.ends_with(c)) text.remove_suffix(1);
  return text;
}

std::optional<uint64_t> parse_number(std::string_view text) {
  text = without_trailing(text, ' ');
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename... Args>
std::unexpected<Error> fail_member(uint64_t offset, fmt::format_string<Args...> format,
                                   Args&&... args) {
  return fail("archive member at offset {:#x}: {}", offset,
              fmt::format(format, std::forward<Args>(args)...));
}

/// "/N" in a header: the name is at offset N of the name table. In a thin archive "/N:M" is the
/// member whose header is at offset M of the archive that has this name.
struct ExtendedName {
  uint64_t offset = 0;
  uint64_t position = 0;  ///< 0 for none
};

/// Reads the text after the '/'. If a name has 15 characters, GNU ar ends the 16-character field
/// with another '/'.
std::optional<ExtendedName> parse_extended_name(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);
  size_t colon = text.find(':');
  auto offset = parse_number(text.substr(0, colon));
  if (!offset) return std::nullopt;
  if (colon == std::string_view::npos) return ExtendedName{*offset};
  auto position = parse_number(text.substr(colon + 1));
  if (!position || *position == 0) return std::nullopt;
  return ExtendedName{*offset, *position};
}

/// A member of a thin archive, or an archive that it names.
std::expected<InputFile, Error> open_named(const std::string& path, std::string name) {
  auto file = InputFile::open_regular(path, std::move(name));
  if (!file)
    return fail("{} (a thin archive has only the names of its members: rebuild it)",
                file.error().message);
  return file;
}

/// An archive that a thin archive names.
struct NestedArchive {
  std::shared_ptr<const InputFile> file;
  std::optional<std::string_view> long_names{};  ///< nothing before they are read
  bool is_being_read = false;
};

/// The archives that thin archives lead to. Thousands of members may be in one of them, by many
/// paths: each file stays open, and its tables are read once.
class NestedArchives {
 public:
  using Opened = std::expected<std::shared_ptr<NestedArchive>, Error>;

  Opened open(const std::string& path) {
    auto [known, is_new] = by_path_.try_emplace(path);
    if (is_new) known->second = open_new(path);
    return known->second;
  }

 private:
  Opened open_new(const std::string& path) {
    auto file = TRY(open_named(path, path));
    if (!is_archive(file.bytes())) return fail("is not an archive");
    auto identity = file.identity();
    auto opened = std::make_shared<NestedArchive>(std::make_shared<InputFile>(std::move(file)));
    if (!identity) return opened;
    return by_file_.try_emplace({identity->device, identity->inode}, std::move(opened))
        .first->second;
  }

  std::map<std::string, Opened> by_path_;
  std::map<std::pair<dev_t, ino_t>, std::shared_ptr<NestedArchive>> by_file_;
};

class ArchiveReader {
 public:
  ArchiveReader(std::span<const std::byte> image, const std::string& path, NestedArchives& nested,
                int depth = 0)
      : image_(image),
        path_(path),
        is_thin_(text_of(image).starts_with(thin_magic)),
        depth_(depth),
        nested_(nested) {}

  std::expected<std::vector<ArchiveMember>, Error> read() {
    for (uint64_t at = SARMAG; at < image_.size();) {
      auto next = TRY(read_member(at));
      at = next;
    }
    return std::move(members_);
  }

  /// Reads the one member of the archive `self` whose header is at `position`.
  std::expected<ArchiveMember, Error> read_one(uint64_t position, NestedArchive& self) {
    if (!self.long_names) {
      // The name table precedes all members.
      for (uint64_t at = SARMAG; at < image_.size() && long_names_.empty();) {
        auto next = TRY(read_member(at));
        if (!members_.empty()) break;
        at = next;
      }
      members_.clear();
      self.long_names = long_names_;
    }
    long_names_ = *self.long_names;
    if (position < SARMAG || position >= image_.size())
      return fail_member(position, "is outside the archive of {:#x} bytes", image_.size());
    std::ignore = TRY(read_member(position));
    if (members_.empty()) return fail_member(position, "is a table");
    return std::move(members_.front());
  }

 private:
  /// Reads the member at `at` and returns where the next one begins.
  std::expected<uint64_t, Error> read_member(uint64_t at) {
    ar_hdr header;
    if (image_.size() - at < sizeof header) return fail_member(at, "header is cut off");
    std::memcpy(&header, &image_[at], sizeof header);
    if (std::string_view(header.ar_fmag, sizeof header.ar_fmag) != ARFMAG)
      return fail_member(at, "header does not end as it should");
    auto size = parse_number({header.ar_size, sizeof header.ar_size});
    if (!size) return fail_member(at, "size is not a number");
    std::string_view name = without_trailing({header.ar_name, sizeof header.ar_name}, ' ');
    bool is_table = name == "/" || name == "//" || name == "/SYM64/" || name == "__.SYMDEF";
    uint64_t begin = at + sizeof header;
    bool has_image = is_table || !is_thin_;
    if (has_image && *size > image_.size() - begin)
      return fail_member(at, "claims {}, {} {} left", count_of(*size, "byte"),
                         image_.size() - begin, agree(image_.size() - begin, "is", "are"));
    auto body = has_image ? image_.subspan(begin, *size) : std::span<const std::byte>();
    if (name == "//") long_names_ = text_of(body);
    if (!is_table) TRY(add_member(at, name, body));
    uint64_t end = begin + body.size();
    return end + end % 2;  // members begin at even offsets
  }

  std::expected<void, Error> add_member(uint64_t at, std::string_view name,
                                        std::span<const std::byte> body) {
    uint64_t position = 0;
    if (name.starts_with(bsd_long_name)) {
      auto length = parse_number(name.substr(bsd_long_name.size()));
      if (!length || *length > body.size()) return fail_member(at, "long name is cut off");
      name = without_trailing(text_of(body.first(*length)), '\0');
      body = body.subspan(*length);
      if (name.starts_with("__.SYMDEF")) return {};
    } else if (name.starts_with('/')) {
      auto extended = parse_extended_name(name.substr(1));
      bool is_readable = extended && (is_thin_ || extended->position == 0);
      if (!is_readable || extended->offset >= long_names_.size())
        return fail_member(at, "long name is not in the name table");
      name = long_names_.substr(extended->offset, max_name_length + 1);
      name = name.substr(0, name.find('\n'));
      position = extended->position;
    }
    if (name.ends_with('/')) name.remove_suffix(1);
    if (name.empty()) return fail_member(at, "has no name");
    // What rustc reads of an rlib, in objects of its target
    if (name == "lib.rmeta" || name == "lib.rmeta-link") return {};
    if (name.size() > max_name_length)
      return fail_member(at, "has a name of more than {} bytes", max_name_length);
    members_.push_back(
        {fmt::format("{}({})", path_, name), is_thin_ ? path_beside(name) : "", body});
    if (position != 0) find_in_nested(members_.back(), position);
    names_size_ += members_.back().name.size() + members_.back().path.size();
    if (names_size_ > max_names_always + max_names_per_byte * image_.size())
      return fail("the names of its members have more than {} MiB", names_size_ >> 20);
    return {};
  }

  /// Finds a member of a thin archive that is at `position` of the archive at its path.
  void find_in_nested(ArchiveMember& member, uint64_t position) {
    auto found = read_nested(member.path, position);
    if (!found) {
      member.failure = found.error();
      return;
    }
    // "outer.a(inner.a(member.o))"
    member.name.insert(member.name.size() - 1, found->name.substr(member.path.size()));
    member.image = found->image;
    member.failure = std::move(found->failure);
    member.nested = std::move(found->nested);
    if (!found->path.empty()) member.path = std::move(found->path);
  }

  std::expected<ArchiveMember, Error> read_nested(const std::string& path, uint64_t position) {
    if (depth_ == max_depth) return fail("archives are nested more than {} deep", max_depth);
    auto opened = TRY(nested_.open(path));
    NestedArchive& archive = *opened;
    if (archive.is_being_read) return fail("the thin archive {} names itself", path);
    archive.is_being_read = true;
    auto found =
        ArchiveReader(archive.file->bytes(), path, nested_, depth_ + 1).read_one(position, archive);
    archive.is_being_read = false;
    if (found && found->path.empty()) found->nested = archive.file;
    return found;
  }

  std::string path_beside(std::string_view name) const {
    size_t directory = name.starts_with('/') ? 0 : path_.rfind('/') + 1;  // 0 without a slash
    return path_.substr(0, directory).append(name);
  }

  std::span<const std::byte> image_;
  const std::string& path_;
  const bool is_thin_;
  const int depth_;  ///< how many archives this one is nested in
  std::string_view long_names_;
  std::vector<ArchiveMember> members_;
  uint64_t names_size_ = 0;
  NestedArchives& nested_;
};

}  // namespace

bool is_archive(std::span<const std::byte> image) {
  return text_of(image).starts_with(regular_magic) || text_of(image).starts_with(thin_magic);
}

std::expected<std::vector<ArchiveMember>, Error> read_archive(std::span<const std::byte> image,
                                                              const std::string& path) {
  NestedArchives nested;
  return ArchiveReader(image, path, nested).read();
}

std::vector<std::string_view> read_archive_index(std::span<const std::byte> image) {
  ar_hdr header;
  if (!is_archive(image) || image.size() < SARMAG + sizeof header) return {};
  std::memcpy(&header, &image[SARMAG], sizeof header);
  std::string_view name = without_trailing({header.ar_name, sizeof header.ar_name}, ' ');
  auto size = parse_number({header.ar_size, sizeof header.ar_size});
  std::span<const std::byte> table = image.subspan(SARMAG + sizeof header);
  if ((name != "/" && name != "/SYM64/") || !size || *size > table.size()) return {};
  table = table.first(*size);
  // The table: a count, as many member offsets, and as many names.
  size_t word = name == "/" ? sizeof(uint32_t) : sizeof(uint64_t);
  if (table.size() < word) return {};
  uint64_t count = word == sizeof(uint32_t) ? load<uint32_t>(table.data(), std::endian::big)
                                            : load<uint64_t>(table.data(), std::endian::big);
  if (count > table.size() / word - 1) return {};
  std::string_view text = text_of(table.subspan((count + 1) * word));
  std::vector<std::string_view> names;
  for (uint64_t i = 0; i < count && !text.empty(); ++i) {
    names.push_back(text.substr(0, text.find('\0')));
    text.remove_prefix(std::min(names.back().size() + 1, text.size()));
  }
  return names;
}

bool SeenMembers::insert(const ArchiveMember& member, const InputFile& file) {
  if (member.path.empty() || !file.identity()) return true;
  const std::byte* begin = member.nested ? member.nested->bytes().data() : member.image.data();
  return seen_.emplace(file.identity()->device, file.identity()->inode, member.image.data() - begin)
      .second;
}

std::expected<InputFile, Error> open_member(const ArchiveMember& member) {
  if (member.failure) return std::unexpected(*member.failure);
  if (member.nested) return InputFile::part_of(member.nested, member.name, member.image);
  if (member.path.empty()) return InputFile::in_memory(member.name, member.image);
  return open_named(member.path, member.name);
}

}  // namespace bpflink
