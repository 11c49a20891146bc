#include "linker/io/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "dedup/for_linker.hpp"
#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/descriptor.hpp"

namespace bpflink {
namespace {

/// A field of a file's header.
struct Field {
  size_t offset, size;
};
constexpr Field name_field{0, 100}, mode_field{100, 8}, user_field{108, 8}, group_field{116, 8},
    size_field{124, 12}, time_field{136, 12}, sum_field{148, 8}, kind_field{156, 1},
    magic_field{257, 8};
constexpr size_t block_size = 512;
/// What 11 octal digits hold.
constexpr uint64_t max_size = (uint64_t{1} << 33) - 1;

enum class Kind : char { File = '0', Directory = '5', Extended = 'x' };

std::string make_header(std::string_view name, Kind kind, uint64_t size) {
  std::string header(block_size, '\0');
  auto put = [&](Field field, std::string_view text) {
    header.replace(field.offset, text.size(), text);
  };
  put(name_field, name.substr(0, name_field.size));
  put(mode_field, kind == Kind::Directory ? "0000755" : "0000644");
  put(user_field, "0000000");
  put(group_field, "0000000");
  put(size_field, fmt::format("{:011o}", size & max_size));  // a larger one is an extended header's
  put(time_field, "00000000000");
  put(sum_field, "        ");  // in its own sum, the sum is blank
  put(kind_field, std::string(1, static_cast<char>(kind)));
  put(magic_field, {"ustar\00000", magic_field.size});
  unsigned sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned total, char c) {
    return total + static_cast<unsigned char>(c);
  });
  put(sum_field, fmt::format("{:06o}{}", sum, '\0'));
  return header;
}

/// A record of an extended header, which begins with its own length.
std::string make_record(std::string_view key, std::string_view value) {
  std::string rest = fmt::format(" {}={}\n", key, value);
  size_t length = rest.size() + 1;
  while (length != rest.size() + fmt::formatted_size("{}", length)) ++length;
  return std::to_string(length) + rest;
}

/// Writes the bytes and zeros up to the next block.
std::expected<void, Error> write_blocks(int fd, std::span<const std::byte> bytes) {
  TRY(write_all(fd, bytes));
  constexpr std::byte zeros[block_size] = {};
  return write_all(fd, std::span(zeros).first(-bytes.size() % block_size));
}

std::expected<void, Error> write_entry(int fd, std::string_view name, Kind kind,
                                       std::span<const std::byte> bytes) {
  std::string header = make_header(name, kind, bytes.size());
  TRY(write_blocks(fd, std::as_bytes(std::span(header))));
  return write_blocks(fd, bytes);
}

std::string_view field_text(std::span<const std::byte> header, Field field) {
  std::string_view text(reinterpret_cast<const char*>(&header[field.offset]), field.size);
  return text.substr(0, text.find('\0'));
}

/// An octal number with spaces around it.
std::optional<uint64_t> number_of(std::span<const std::byte> header, Field field) {
  uint64_t number = 0;
  size_t digits = 0;
  for (char c : field_text(header, field)) {
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    number = number * 8 + static_cast<uint64_t>(c - '0');  // 12 digits at most
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return number;
}

}  // namespace

std::expected<void, Error> write_tar(int fd, const TarEntries& entries) {
  for (const auto& [name, bytes] : entries) {
    std::string records;
    if (name.size() > name_field.size) records += make_record("path", name);
    if (bytes.size() > max_size) records += make_record("size", std::to_string(bytes.size()));
    if (!records.empty())
      TRY(write_entry(fd, name, Kind::Extended, std::as_bytes(std::span(records))));
    Kind kind = name.ends_with('/') ? Kind::Directory : Kind::File;
    TRY(write_entry(fd, name, kind, bytes));
  }
  const std::string end(2 * block_size, '\0');
  return write_blocks(fd, std::as_bytes(std::span(end)));
}

bool is_tar(std::span<const std::byte> bytes) {
  return bytes.size() >= block_size && field_text(bytes, magic_field).starts_with("ustar");
}

std::expected<TarMember, Error> find_tar_member(std::span<const std::byte> archive,
                                                std::string_view suffix) {
  std::optional<TarMember> first, found;
  size_t files = 0;
  for (size_t at = 0; archive.size() - at >= block_size;) {
    auto header = archive.subspan(at, block_size);
    std::string_view name = field_text(header, name_field);
    if (name.empty()) break;  // two empty blocks end the archive
    auto size = number_of(header, size_field);
    if (!is_tar(header) || !size) return fail("is damaged: not a valid tar archive");
    at += block_size;
    if (*size > archive.size() - at) return fail("is cut off: the tar archive has no end");
    std::string_view kind = field_text(header, kind_field);
    if (kind.empty() || kind[0] == static_cast<char>(Kind::File)) {
      TarMember member{name, archive.subspan(at, static_cast<size_t>(*size))};
      bool is_wanted = name.ends_with(suffix);
      if (is_wanted && found)
        return fail("is a tar archive of several files named *{}: {}, {}", suffix, found->name,
                    name);
      if (is_wanted) found = member;
      ++files;
      if (!first) first = member;
    }
    uint64_t padded = align_up(*size, block_size);
    at += static_cast<size_t>(std::min<uint64_t>(padded, archive.size() - at));
  }
  if (found) return *found;
  if (files != 1)
    return fail("is a tar archive of {}, none of them named *{}", count_of(files, "file"), suffix);
  return *first;
}

}  // namespace bpflink
