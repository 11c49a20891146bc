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

/// Bytes whose number is not known beforehand. As it grows they are neither cleared nor, where
/// the system can move them by their pages, copied. At the address of a page or of 16 bytes.
class ByteBuffer {
 public:
  /// At most so many bytes.
  explicit ByteBuffer(uint64_t limit = 0) : limit_(limit) {}

  /// A buffer with these bytes. Errors: there is no memory.
  static std::expected<ByteBuffer, Error> copy_of(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }
  /// Where the next bytes go: at least `least` of them. Errors: that is beyond the limit; there is
  /// no memory.
  std::expected<std::span<std::byte>, Error> room(size_t least = 1);
  /// So many of the bytes of room() are there now.
  void add(size_t count) { size_ += count; }
  /// Gives memory back that is not used.
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

/// How bytes were made smaller.
enum class Compression : uint8_t { None, Gzip, Xz, Lzma, Zstd, Lz4, Bzip2 };

/// What `bytes` begin like. Lz4 is its "legacy" format, which is that of kernels.
Compression compression_of(std::span<const std::byte> bytes);

/// What a file may decompress to at most.
inline constexpr uint64_t largest_decompressed = uint64_t{1} << 30;

/// What was compressed, be it in several streams one after another. What follows the last of them
/// does not count. Errors: the stream is damaged or cut off; it decompresses to more than `limit`;
/// it asks for much more memory than any compressor's presets.
std::expected<ByteBuffer, Error> decompress(std::span<const std::byte> bytes,
                                            uint64_t limit = largest_decompressed);

/// A file in an archive.
struct TarMember {
  std::string name;
  std::span<const std::byte> contents;
};

/// Whether `bytes` begin like an archive of tar.
bool is_tar(std::span<const std::byte> bytes);

/// The first file of the archive whose name ends in ".btf", or else its only file. Errors: there is
/// none; the archive is damaged or cut off.
std::expected<TarMember, Error> find_btf_member(std::span<const std::byte> archive);

}  // namespace bpflink
