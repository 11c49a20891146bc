// Reads files compressed with gzip, xz, lzma, zstd, lz4 or bzip2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/error.hpp"

namespace bpflink {

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
std::expected<std::vector<std::byte>, Error> decompress(std::span<const std::byte> bytes,
                                                        uint64_t limit);

/// The same, up to the size that a kernel can have: kernels shrink to a fifth.
inline std::expected<std::vector<std::byte>, Error> decompress(std::span<const std::byte> bytes) {
  constexpr uint64_t always = uint64_t{64} << 20, max_ratio = 100;
  return decompress(bytes, std::min(largest_decompressed, always + max_ratio * bytes.size()));
}

}  // namespace bpflink
