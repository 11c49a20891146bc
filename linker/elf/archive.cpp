#include "linker/elf/archive.hpp"

#include <ar.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "linker/error.hpp"

namespace bpflink {
namespace {

constexpr std::string_view regular_magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::string_view bsd_long_name = "#1/";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

class ArchiveReader {
 public:
  ArchiveReader(std::span<const std::byte> image, const std::string& path)
      : image_(image), path_(path), is_thin_(text_of(image).starts_with(thin_magic)) {}

  std::expected<std::vector<ArchiveMember>, Error> read() {
    for (uint64_t at = SARMAG; at < image_.size();) {
      auto next = read_member(at);
      if (!next) return std::unexpected(next.error());
      at = *next;
    }
    return std::move(members_);
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
      return fail_member(at, "claims {} bytes, {} are left", *size, image_.size() - begin);
    auto body = has_image ? image_.subspan(begin, *size) : std::span<const std::byte>();
    if (name == "//") long_names_ = text_of(body);
    if (!is_table)
      if (auto ok = add_member(at, name, body); !ok) return std::unexpected(ok.error());
    uint64_t end = begin + body.size();
    return end + end % 2;  // members begin at even offsets
  }

  std::expected<void, Error> add_member(uint64_t at, std::string_view name,
                                        std::span<const std::byte> body) {
    if (name.starts_with(bsd_long_name)) {
      auto length = parse_number(name.substr(bsd_long_name.size()));
      if (!length || *length > body.size()) return fail_member(at, "long name is cut off");
      name = without_trailing(text_of(body.first(*length)), '\0');
      body = body.subspan(*length);
      if (name.starts_with("__.SYMDEF")) return {};
    } else if (name.starts_with('/')) {
      auto offset = parse_number(name.substr(1));
      if (!offset || *offset >= long_names_.size())
        return fail_member(at, "long name is not in the name table");
      name = long_names_.substr(*offset);
      name = name.substr(0, name.find('\n'));
    }
    if (name.ends_with('/')) name.remove_suffix(1);
    if (name.empty()) return fail_member(at, "has no name");
    members_.push_back(
        {fmt::format("{}({})", path_, name), is_thin_ ? path_beside(name) : "", body});
    return {};
  }

  std::string path_beside(std::string_view name) const {
    size_t directory = name.starts_with('/') ? 0 : path_.rfind('/') + 1;  // 0 without a slash
    return path_.substr(0, directory).append(name);
  }

  std::span<const std::byte> image_;
  const std::string& path_;
  const bool is_thin_;
  std::string_view long_names_;
  std::vector<ArchiveMember> members_;
};

}  // namespace

bool is_archive(std::span<const std::byte> image) {
  return text_of(image).starts_with(regular_magic) || text_of(image).starts_with(thin_magic);
}

std::expected<std::vector<ArchiveMember>, Error> read_archive(std::span<const std::byte> image,
                                                              const std::string& path) {
  return ArchiveReader(image, path).read();
}

std::expected<InputFile, Error> open_member(const ArchiveMember& member) {
  if (member.path.empty()) return InputFile::in_memory(member.name, member.image);
  return InputFile::open(member.path, member.name);
}

}  // namespace bpflink
