// Reads files compressed with gzip, xz, lzma, zstd, lz4 or bzip2, and tar archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bpflink/error.hpp"

namespace bpflink {

/// A growing buffer of bytes. Growth does not clear them, and does not copy them if the system can
/// move pages. Aligned to a page or 16 bytes.
class ByteBuffer {
 public:
  /// A buffer of at most `limit` bytes.
  explicit ByteBuffer(uint64_t limit = 0) : limit_(limit) {}

  /// A buffer with these bytes. Errors: out of memory.
  static std::expected<ByteBuffer, Error> copy_of(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  /// Room for the next bytes, at least `least` of them. Errors: beyond the limit; out of memory.
  std::expected<std::span<std::byte>, Error> room(size_t least = 1);
  /// Adds the first `count` bytes of room() to the contents.
  void add(size_t count) { size_ += count; }
  /// Frees unused memory.
  void trim();

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::expected<void, Error> resize(size_t capacity);

  std::unique_ptr<std::byte, Free> bytes_;
  size_t size_ = 0, capacity_ = 0;
  uint64_t limit_;
};

/// A format of compression.
enum class Compression : uint8_t { None, Gzip, Xz, Lzma, Zstd, Lz4, Bzip2 };

/// The compression of `bytes`, judged by their beginning. Lz4 is its "legacy" format, which kernels
/// use.
Compression compression_of(std::span<const std::byte> bytes);

/// The largest decompressed size of a file.
inline constexpr uint64_t largest_decompressed = uint64_t{1} << 30;

/// Decompresses one stream or several consecutive ones. Bytes after the last stream are ignored.
/// Errors: a damaged or truncated stream; more than `limit` bytes; a stream that asks for much more
/// memory than any compressor's presets.
std::expected<ByteBuffer, Error> decompress(std::span<const std::byte> bytes,
                                            uint64_t limit = largest_decompressed);

/// A file in an archive.
struct TarMember {
  std::string name;
  std::span<const std::byte> contents;
};

/// Whether `bytes` begin like a tar archive.
bool is_tar(std::span<const std::byte> bytes);

/// The first file of the archive whose name ends in ".btf", or else its only file. Errors: there is
/// none; the archive is damaged or truncated.
std::expected<TarMember, Error> find_btf_member(std::span<const std::byte> archive);

}  // namespace bpflink
