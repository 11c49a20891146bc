// Each stream is fed to its library step by step. The output grows up to a limit, whatever sizes
// the compressed data promises.
#include "linker/kernels/decompress.hpp"

#include <bzlib.h>
#include <fmt/format.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "dedup/try.hpp"
#include "linker/error.hpp"
#include "linker/io/bytes.hpp"

namespace bpflink {
namespace {

using Bytes = std::span<const std::byte>;

/// How many bytes of the input a stream consumed.
using Consumed = std::expected<size_t, Error>;

/// The memory of a decompressor besides its output. "xz -9" needs 65 MiB, kernels up to 128 MiB.
constexpr uint64_t max_working_memory = uint64_t{192} << 20;

std::unexpected<Error> fail_truncated(std::string_view format) {
  return fail("is cut off: the {} stream has no end", format);
}
std::unexpected<Error> fail_damaged(std::string_view format) {
  return fail("is damaged: not a valid {} stream", format);
}
std::unexpected<Error> fail_memory() {
  return fail("not enough memory");
}

constexpr size_t lz4_block_size = 8 << 20;  // the largest that a step produces

/// Decompressed bytes, up to a limit. The libraries write them to where they stay.
class Output {
 public:
  /// Reserves room for what `input` bytes usually give, so that the bytes do not move as they grow.
  Output(uint64_t limit, uint64_t input) : limit_(limit) {
    constexpr uint64_t usual_ratio = 6;
    grow(std::min(limit, usual_ratio * input));
  }

  /// All room for the next bytes. If it has less than `least`, there is more room for the same
  /// bytes. Errors: more than the limit are there, or all of that room was not enough.
  std::expected<std::span<std::byte>, Error> room(uint64_t least = 1 << 18) {
    const uint64_t most = limit_ + lz4_block_size;
    bool is_small = capacity_ - size_ < least;
    if (is_small && capacity_ == most) return fail_limit();
    TRY(check());
    if (is_small) grow(std::min(most, std::max(2 * capacity_, size_ + least)));
    return std::span(bytes_.get() + size_, static_cast<size_t>(capacity_ - size_));
  }
  /// Keeps the first bytes of room().
  void add(size_t count) { size_ += count; }

  std::expected<OwnedBytes, Error> finish() {
    TRY(check());
    const std::byte* begin = bytes_.get();
    return OwnedBytes{std::move(bytes_), {begin, static_cast<size_t>(size_)}};
  }

 private:
  void grow(uint64_t capacity) {
    auto grown = std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(capacity));
    std::copy_n(bytes_.get(), size_, grown.get());
    bytes_ = std::move(grown);
    capacity_ = capacity;
  }
  std::unexpected<Error> fail_limit() const { return fail("{}", describe_excess(limit_)); }
  std::expected<void, Error> check() const {
    return size_ <= limit_ ? std::expected<void, Error>() : fail_limit();
  }

  std::unique_ptr<std::byte[]> bytes_;
  uint64_t limit_, capacity_ = 0, size_ = 0;
};

/// What a library did with the input and the room that it was given.
struct Step {
  enum class Result : uint8_t { More, End, Damaged, NeedsMemory };
  Result result;
  size_t consumed, produced;
};

/// Calls `step(input, room)` until the stream ends.
template <typename Stepper>
Consumed run(Bytes input, Output& output, std::string_view format, Stepper step) {
  using enum Step::Result;
  for (size_t consumed = 0;;) {
    auto room = TRY(output.room());
    Step done = step(input.subspan(consumed), room);
    consumed += done.consumed;
    output.add(done.produced);
    if (done.result == End) return consumed;
    if (done.result == Damaged) return fail_damaged(format);
    if (done.result == NeedsMemory) return fail("needs more memory than any preset of xz");
    if (done.consumed == 0 && done.produced == 0) return fail_truncated(format);
  }
}

/// Runs a library that has z_stream or something like it. `code` does a step, and returns `end` at
/// the end of the stream; results that are not errors are in `good`.
template <typename Stream, typename Code>
Step step_stream(Stream& stream, Bytes input, std::span<std::byte> room, Code code, int end,
                 std::initializer_list<int> good) {
  // These libraries count in unsigned int, and do not change their input.
  auto given = static_cast<unsigned>(std::min<size_t>(input.size(), 1u << 30));
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<std::byte*>(input.data()));
  stream.avail_in = given;
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(room.data());
  stream.avail_out = static_cast<unsigned>(room.size());
  int result = code(&stream);
  Step step{Step::Result::More, given - stream.avail_in, room.size() - stream.avail_out};
  if (result == end)
    step.result = Step::Result::End;
  else if (std::ranges::find(good, result) == good.end())
    step.result = Step::Result::Damaged;
  return step;
}

/// `bits` is how zlib says which header there is.
Consumed decompress_zlib(Bytes input, Output& output, std::string_view format, int bits) {
  z_stream stream{};
  if (inflateInit2(&stream, bits) != Z_OK) return fail_memory();
  std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  return run(input, output, format, [&](Bytes rest, std::span<std::byte> room) {
    auto code = [](z_stream* from) { return inflate(from, Z_NO_FLUSH); };
    return step_stream(stream, rest, room, code, Z_STREAM_END, {Z_OK, Z_BUF_ERROR});
  });
}

Consumed decompress_bzip2(Bytes input, Output& output) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return fail_memory();
  std::unique_ptr<bz_stream, int (*)(bz_stream*)> end(&stream, BZ2_bzDecompressEnd);
  return run(input, output, "bzip2", [&](Bytes rest, std::span<std::byte> room) {
    return step_stream(stream, rest, room, BZ2_bzDecompress, BZ_STREAM_END, {BZ_OK});
  });
}

Consumed decompress_lzma(Bytes input, Output& output, std::string_view format,
                         lzma_ret (*open)(lzma_stream*)) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (open(&stream) != LZMA_OK) return fail_memory();
  std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  return run(input, output, format, [&](Bytes rest, std::span<std::byte> room) {
    int memory = LZMA_OK;
    auto code = [&](lzma_stream* from) { return memory = lzma_code(from, LZMA_RUN); };
    Step step = step_stream(stream, rest, room, code, LZMA_STREAM_END, {LZMA_OK, LZMA_BUF_ERROR});
    if (memory == LZMA_MEMLIMIT_ERROR) step.result = Step::Result::NeedsMemory;
    return step;
  });
}

/// Decompresses a whole frame in one step, and one that is damaged or truncated up to there. Step
/// by step, the library would keep a window of the output, of a kernel all of it, a second time.
Consumed decompress_zstd(Bytes input, Output& output) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return fail_memory();
  const size_t frame = ZSTD_findFrameCompressedSize(input.data(), input.size());
  if (ZSTD_isError(frame))
    return run(input, output, "zstd", [&](Bytes rest, std::span<std::byte> room) {
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      size_t left = ZSTD_decompressStream(context.get(), &out, &in);
      return Step{ZSTD_isError(left) ? Step::Result::Damaged : Step::Result::More, in.pos, out.pos};
    });
  for (uint64_t least = 1;;) {
    auto room = TRY(output.room(least));
    size_t count =
        ZSTD_decompressDCtx(context.get(), room.data(), room.size(), input.data(), frame);
    if (!ZSTD_isError(count)) {
      output.add(count);
      return frame;
    }
    if (ZSTD_getErrorCode(count) != ZSTD_error_dstSize_tooSmall) return fail_damaged("zstd");
    least = 2 * room.size() + 1;
  }
}

constexpr uint32_t lz4_legacy_magic = 0x184c2102;

/// The legacy format: the magic number, then blocks, each preceded by its compressed size. It has
/// no end mark; in a kernel, the last block is followed by four bytes with the total size.
Consumed decompress_lz4(Bytes input, Output& output) {
  constexpr size_t word = sizeof(uint32_t);
  for (size_t at = 0; at + word < input.size();) {
    auto size = load<uint32_t>(&input[at], std::endian::little);
    at += word;
    if (size == lz4_legacy_magic) continue;
    if (size > input.size() - at) return fail_truncated("lz4");
    auto room = TRY(output.room(lz4_block_size));
    int count = LZ4_decompress_safe(reinterpret_cast<const char*>(&input[at]),
                                    reinterpret_cast<char*>(room.data()), static_cast<int>(size),
                                    static_cast<int>(lz4_block_size));
    if (count < 0) return fail_damaged("lz4");
    output.add(static_cast<size_t>(count));
    at += size;
  }
  return input.size();
}

lzma_ret open_xz(lzma_stream* stream) {
  return lzma_stream_decoder(stream, max_working_memory, 0);
}
lzma_ret open_lzma(lzma_stream* stream) {
  return lzma_alone_decoder(stream, max_working_memory);
}

Consumed decompress_stream(Bytes input, Output& output, Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return decompress_zlib(input, output, "gzip", 16 + MAX_WBITS);
    case Compression::Zlib:
      return decompress_zlib(input, output, "zlib", MAX_WBITS);
    case Compression::Xz:
      return decompress_lzma(input, output, "xz", open_xz);
    case Compression::Lzma:
      return decompress_lzma(input, output, "lzma", open_lzma);
    case Compression::Zstd:
      return decompress_zstd(input, output);
    case Compression::Lz4:
      return decompress_lz4(input, output);
    case Compression::Bzip2:
      return decompress_bzip2(input, output);
    case Compression::None:
      break;
  }
  return fail("is not compressed");
}

}  // namespace

std::string describe_excess(uint64_t limit) {
  constexpr uint64_t mib = 1 << 20;
  return fmt::format("decompresses to more than {}", limit < mib
                                                         ? fmt::format("{} KiB", limit >> 10)
                                                         : fmt::format("{} MiB", limit >> 20));
}

Compression compression_of(std::span<const std::byte> bytes) {
  std::string_view text = text_of(bytes);
  if (text.starts_with("\x1f\x8b\x08")) return Compression::Gzip;
  if (text.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return Compression::Xz;
  if (text.starts_with("\x28\xb5\x2f\xfd")) return Compression::Zstd;
  if (text.starts_with("\x02\x21\x4c\x18")) return Compression::Lz4;
  if (text.starts_with("BZh")) return Compression::Bzip2;
  // Header: a byte of properties, the dictionary's size, a power of two, and the size of the
  // contents, -1 if unknown.
  constexpr size_t lzma_header = 13;
  if (text.size() >= lzma_header && text.starts_with(std::string_view("\x5d\0\0", 3)) &&
      (text[12] == '\0' || text[12] == '\xff'))
    return Compression::Lzma;
  return Compression::None;
}

std::expected<OwnedBytes, Error> decompress(std::span<const std::byte> bytes,
                                            DecompressionLimit& limit, Compression compression) {
  if (compression == Compression::None) compression = compression_of(bytes);
  Output output(limit.left(), bytes.size());
  do {
    auto consumed = TRY(decompress_stream(bytes, output, compression));
    bytes = bytes.subspan(consumed);
  } while (compression_of(bytes) == compression && compression != Compression::None);
  auto decompressed = output.finish();
  if (decompressed) limit.take(decompressed->bytes.size());
  return decompressed;
}

}  // namespace bpflink
