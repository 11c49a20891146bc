// Reads files compressed with gzip, xz, lzma, zstd, lz4 or bzip2, and sections with zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "bpflink/error.hpp"
#include "linker/io/decompression_limit.hpp"
#include "linker/kernels/owned_bytes.hpp"

namespace bpflink {

/// A format of compression.
enum class Compression : uint8_t { None, Gzip, Xz, Lzma, Zstd, Lz4, Bzip2, Zlib };

/// The compression of `bytes`, judged by their beginning. Lz4 is its "legacy" format, which kernels
/// use. Never Zlib, whose beginning says too little.
Compression compression_of(std::span<const std::byte> bytes);

/// The message on what becomes larger than a limit in bytes.
std::string describe_excess(uint64_t limit);

/// Decompresses one stream or several consecutive ones, by their beginning if `compression` does
/// not say how. Bytes after the last stream are ignored.
/// Errors: a damaged or truncated stream; more bytes than are left; a stream that asks for much
/// more memory than any compressor's presets.
std::expected<OwnedBytes, Error> decompress(std::span<const std::byte> bytes,
                                            DecompressionLimit& limit,
                                            Compression compression = Compression::None);

}  // namespace bpflink
