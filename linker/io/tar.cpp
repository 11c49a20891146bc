#include "linker/io/tar.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string_view>

#include "linker/io/write_all.hpp"

namespace bpflink {
namespace {

constexpr size_t block_size = 512;
constexpr size_t max_name = 100;
/// What 11 octal digits hold.
constexpr uint64_t max_size = (uint64_t{1} << 33) - 1;

enum class Kind : char { File = '0', Directory = '5', Extended = 'x' };

std::string make_header(std::string_view name, Kind kind, uint64_t size) {
  std::string header(block_size, '\0');
  auto put = [&](size_t offset, std::string_view text) {
    header.replace(offset, text.size(), text);
  };
  put(0, name.substr(0, max_name));
  put(100, kind == Kind::Directory ? "0000755" : "0000644");
  put(108, "0000000");                                // user
  put(116, "0000000");                                // group
  put(124, fmt::format("{:011o}", size & max_size));  // a larger one is in the extended header
  put(136, "00000000000");                            // time
  put(148, "        ");                               // in its own sum, the sum is blank
  header[156] = static_cast<char>(kind);
  put(257, {"ustar\00000", 8});
  unsigned sum = std::accumulate(header.begin(), header.end(), 0U, [](unsigned total, char c) {
    return total + static_cast<unsigned char>(c);
  });
  put(148, fmt::format("{:06o}{}", sum, '\0'));
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
  if (auto ok = write_all(fd, bytes); !ok) return ok;
  constexpr std::byte zeros[block_size] = {};
  return write_all(fd, std::span(zeros).first(-bytes.size() % block_size));
}

std::expected<void, Error> write_entry(int fd, std::string_view name, Kind kind,
                                       std::span<const std::byte> bytes) {
  std::string header = make_header(name, kind, bytes.size());
  if (auto ok = write_blocks(fd, std::as_bytes(std::span(header))); !ok) return ok;
  return write_blocks(fd, bytes);
}

}  // namespace

std::expected<void, Error> write_tar(int fd, const TarEntries& entries) {
  for (const auto& [name, bytes] : entries) {
    std::string records;
    if (name.size() > max_name) records += make_record("path", name);
    if (bytes.size() > max_size) records += make_record("size", std::to_string(bytes.size()));
    if (!records.empty())
      if (auto ok = write_entry(fd, name, Kind::Extended, std::as_bytes(std::span(records))); !ok)
        return ok;
    Kind kind = name.ends_with('/') ? Kind::Directory : Kind::File;
    if (auto ok = write_entry(fd, name, kind, bytes); !ok) return ok;
  }
  const std::string end(2 * block_size, '\0');
  return write_blocks(fd, std::as_bytes(std::span(end)));
}

}  // namespace bpflink
