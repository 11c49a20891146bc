#include "linker/io/output_bytes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "linker/io/mapped_inputs.hpp"
#include "linker/io/output_file.hpp"
#include "linker/io/retry.hpp"

namespace bpflink {
namespace {

std::unexpected<Error> system_error() {
  return std::unexpected(Error{std::strerror(errno)});
}

std::expected<void, Error> write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t step = retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (step < 0) return system_error();
    bytes = bytes.subspan(step);
  }
  return {};
}

std::expected<void, Error> write_all_at(int fd, uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t step =
        retry([&] { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (step < 0)
      return std::unexpected(
          Error{fmt::format("cannot write: {}", describe_write_failure(bytes).message)});
    bytes = bytes.subspan(step);
    offset += step;
  }
  return {};
}

bool is_zero(std::span<const std::byte> bytes) {
  return bytes.front() == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// Writes pieces in ascending order: small ones are gathered and written
/// together, large ones from where they are.
class FileWriter {
 public:
  explicit FileWriter(int fd) : fd_(fd) { gathered_.reserve(MAX_GATHERED); }

  std::expected<void, Error> add(const Piece& piece) {
    if (piece.bytes.size() >= LARGE) return write_large(piece);
    uint64_t gap = piece.offset - (begin_ + gathered_.size());
    if (gap + gathered_.size() + piece.bytes.size() > MAX_GATHERED) {
      if (auto ok = flush(); !ok) return ok;
      begin_ = piece.offset;
      gap = 0;
    }
    gathered_.resize(gathered_.size() + gap);
    gathered_.insert(gathered_.end(), piece.bytes.begin(), piece.bytes.end());
    return {};
  }

  std::expected<void, Error> flush() {
    auto ok = write_all_at(fd_, begin_, gathered_);
    begin_ += gathered_.size();
    gathered_.clear();
    return ok;
  }

 private:
  static constexpr size_t MAX_GATHERED = 64 << 10, LARGE = 32 << 10;
  static constexpr size_t BLOCK = 256 << 10;

  std::expected<void, Error> write_large(const Piece& piece) {
    if (auto ok = flush(); !ok) return ok;
    begin_ = piece.offset + piece.bytes.size();
    return write_with_holes(piece.offset, piece.bytes);
  }

  /// Writes what is between blocks of zeros.
  std::expected<void, Error> write_with_holes(uint64_t offset, std::span<const std::byte> bytes) {
    size_t begin = 0, at = 0;
    for (; at < bytes.size(); at += std::min(BLOCK, bytes.size() - at)) {
      auto block = bytes.subspan(at, std::min(BLOCK, bytes.size() - at));
      if (!is_zero(block)) continue;
      if (auto ok = write_all_at(fd_, offset + begin, bytes.subspan(begin, at - begin)); !ok)
        return ok;
      begin = at + block.size();
    }
    return write_all_at(fd_, offset + begin, bytes.subspan(begin));
  }

  int fd_;
  uint64_t begin_ = 0;  ///< where what is gathered begins
  std::vector<std::byte> gathered_;
};

}  // namespace

std::expected<void, Error> write_to_file(const ElfImage& image, int fd) {
  // What is larger may have holes.
  constexpr uint64_t MOST_WITHOUT_HOLES = 1 << 20;
  if (image.size <= MOST_WITHOUT_HOLES) expect_size(fd, image.size);
  FileWriter writer(fd);
  for (const Piece& piece : image.pieces)
    if (auto ok = writer.add(piece); !ok) return ok;
  return writer.flush();
}

std::vector<std::byte> write_to_memory(const ElfImage& image) {
  std::vector<std::byte> bytes(image.size);
  for (const Piece& piece : image.pieces)
    std::ranges::copy(piece.bytes, bytes.begin() + static_cast<ptrdiff_t>(piece.offset));
  return bytes;
}

std::expected<void, Error> write_to_fd(std::span<const std::byte> bytes, int fd) {
  if (::lseek(fd, 0, SEEK_SET) == 0 && ::ftruncate(fd, 0) != 0) return system_error();
  return write_all(fd, bytes);
}

}  // namespace bpflink
