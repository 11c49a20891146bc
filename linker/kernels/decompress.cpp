// Each decompressor is a loop over a stream of its library, which consumes available input and
// produces as much output as fits. The output buffer doubles up to a limit, whatever sizes the
// compressed data promises.
#include "linker/kernels/decompress.hpp"

#include <bzlib.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "linker/elf/bytes.hpp"
#include "linker/error.hpp"

namespace bpflink {
namespace {

using Bytes = std::span<const std::byte>;

/// How many bytes of the input a stream consumed.
using Consumed = std::expected<size_t, Error>;

/// The memory of a decompressor besides its output. "xz -9" needs 65 MiB, kernels up to 128 MiB.
constexpr uint64_t max_working_memory = uint64_t{512} << 20;
constexpr int zstd_window_log_max = 27;  // 128 MiB, zstd's own default

std::unexpected<Error> fail_truncated(std::string_view format) {
  return fail("is cut off: the {} stream has no end", format);
}
std::unexpected<Error> fail_damaged(std::string_view format) {
  return fail("is damaged: not a valid {} stream", format);
}

/// A size limited for libraries that use unsigned int.
unsigned limited(size_t size) {
  return static_cast<unsigned>(std::min<size_t>(size, 1u << 30));
}

/// Calls a function at the end of its scope.
template <typename End>
struct AtEnd {
  End end;
  explicit AtEnd(End function) : end(function) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { end(); }
};

Consumed decompress_gzip(Bytes input, ByteBuffer& output) {
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip_only) != Z_OK) return fail("not enough memory");
  AtEnd end([&] { inflateEnd(&stream); });
  for (size_t consumed = 0;;) {
    auto room = output.room();
    if (!room) return std::unexpected(room.error());
    unsigned given = limited(input.size() - consumed), free = limited(room->size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data() + consumed));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(room->data());
    stream.avail_out = free;
    int result = inflate(&stream, Z_NO_FLUSH);
    consumed += given - stream.avail_in;
    output.add(free - stream.avail_out);
    if (result == Z_STREAM_END) return consumed;
    if (result == Z_BUF_ERROR) return fail_truncated("gzip");
    if (result != Z_OK) return fail_damaged("gzip");
  }
}

Consumed decompress_lzma(Bytes input, ByteBuffer& output, std::string_view format,
                         lzma_ret (*open)(lzma_stream*)) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (open(&stream) != LZMA_OK) return fail("not enough memory");
  AtEnd end([&] { lzma_end(&stream); });
  stream.next_in = reinterpret_cast<const uint8_t*>(input.data());
  stream.avail_in = input.size();
  for (;;) {
    auto room = output.room();
    if (!room) return std::unexpected(room.error());
    stream.next_out = reinterpret_cast<uint8_t*>(room->data());
    stream.avail_out = room->size();
    lzma_ret result = lzma_code(&stream, LZMA_RUN);
    output.add(room->size() - stream.avail_out);
    if (result == LZMA_STREAM_END) return input.size() - stream.avail_in;
    if (result == LZMA_BUF_ERROR) return fail_truncated(format);
    if (result == LZMA_MEMLIMIT_ERROR) return fail("needs more memory than any preset of xz");
    if (result != LZMA_OK) return fail_damaged(format);
  }
}

lzma_ret open_xz(lzma_stream* stream) {
  return lzma_stream_decoder(stream, max_working_memory, 0);
}
lzma_ret open_lzma(lzma_stream* stream) {
  return lzma_alone_decoder(stream, max_working_memory);
}

Consumed decompress_zstd(Bytes input, ByteBuffer& output) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) return fail("not enough memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, zstd_window_log_max);
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  for (;;) {
    auto room = output.room();
    if (!room) return std::unexpected(room.error());
    ZSTD_outBuffer out{room->data(), room->size(), 0};
    size_t result = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(result)) return fail_damaged("zstd");
    output.add(out.pos);
    if (result == 0) return in.pos;
    if (in.pos == in.size && out.pos < out.size) return fail_truncated("zstd");
  }
}

Consumed decompress_bzip2(Bytes input, ByteBuffer& output) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return fail("not enough memory");
  AtEnd end([&] { BZ2_bzDecompressEnd(&stream); });
  for (size_t consumed = 0;;) {
    auto room = output.room();
    if (!room) return std::unexpected(room.error());
    unsigned given = limited(input.size() - consumed), free = limited(room->size());
    stream.next_in = reinterpret_cast<char*>(const_cast<std::byte*>(input.data() + consumed));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<char*>(room->data());
    stream.avail_out = free;
    int result = BZ2_bzDecompress(&stream);
    consumed += given - stream.avail_in;
    output.add(free - stream.avail_out);
    if (result == BZ_STREAM_END) return consumed;
    if (result != BZ_OK) return fail_damaged("bzip2");
    if (consumed == input.size() && stream.avail_out != 0) return fail_truncated("bzip2");
  }
}

constexpr uint32_t lz4_legacy_magic = 0x184c2102;

/// The legacy format: the magic number, then blocks, each preceded by its compressed size. It has
/// no end mark; in a kernel, the last block is followed by four bytes with the total size.
Consumed decompress_lz4(Bytes input, ByteBuffer& output) {
  constexpr size_t word = sizeof(uint32_t);
  constexpr size_t block_size = 8 << 20;
  for (size_t at = 0; at + word < input.size();) {
    auto size = load<uint32_t>(&input[at], std::endian::little);
    at += word;
    if (size == lz4_legacy_magic) continue;
    if (size > input.size() - at) return fail_truncated("lz4");
    auto room = output.room(block_size);
    if (!room) return std::unexpected(room.error());
    int count = LZ4_decompress_safe(reinterpret_cast<const char*>(&input[at]),
                                    reinterpret_cast<char*>(room->data()), static_cast<int>(size),
                                    static_cast<int>(block_size));
    if (count < 0) return fail_damaged("lz4");
    output.add(static_cast<size_t>(count));
    at += size;
  }
  return input.size();
}

Consumed decompress_stream(Bytes input, ByteBuffer& output) {
  switch (compression_of(input)) {
    case Compression::Gzip:
      return decompress_gzip(input, output);
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

std::expected<std::span<std::byte>, Error> ByteBuffer::room(size_t least) {
  constexpr size_t first_capacity = 1 << 20;
  // One byte of room beyond the limit shows whether there is more.
  uint64_t most = limit_ + least;
  if (size_ > limit_) return fail("decompresses to more than {} MiB", limit_ >> 20);
  if (capacity_ - size_ < least) {
    uint64_t doubled = std::max<uint64_t>({first_capacity, uint64_t{2} * capacity_, size_ + least});
    if (auto ok = resize(static_cast<size_t>(std::min(doubled, most))); !ok)
      return std::unexpected(ok.error());
  }
  return std::span(bytes_.get() + size_, capacity_ - size_);
}

std::expected<ByteBuffer, Error> ByteBuffer::copy_of(std::span<const std::byte> bytes) {
  ByteBuffer copy;
  if (bytes.empty()) return copy;
  if (auto ok = copy.resize(bytes.size()); !ok) return std::unexpected(ok.error());
  std::memcpy(copy.bytes_.get(), bytes.data(), bytes.size());
  copy.size_ = bytes.size();
  return copy;
}

void ByteBuffer::trim() {
  if (size_ == 0) return;
  if (auto ok = resize(size_); !ok) return;  // trimming is optional
}

std::expected<void, Error> ByteBuffer::resize(size_t capacity) {
  std::byte* old = bytes_.release();
  auto* moved = static_cast<std::byte*>(std::realloc(old, capacity));
  bytes_.reset(moved != nullptr ? moved : old);
  if (moved == nullptr) return fail("not enough memory");
  capacity_ = capacity;
  return {};
}

Compression compression_of(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
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

std::expected<ByteBuffer, Error> decompress(std::span<const std::byte> bytes, uint64_t limit) {
  Compression compression = compression_of(bytes);
  ByteBuffer output(limit);
  do {
    auto consumed = decompress_stream(bytes, output);
    if (!consumed) return std::unexpected(consumed.error());
    bytes = bytes.subspan(*consumed);
  } while (compression_of(bytes) == compression && compression != Compression::None);
  if (output.bytes().size() > limit) return fail("decompresses to more than {} MiB", limit >> 20);
  output.trim();
  return output;
}

namespace {

/// The header of a file in a tar archive, in POSIX's ustar format or GNU's variant.
constexpr size_t tar_block = 512;
constexpr size_t name_at = 0, name_size = 100;
constexpr size_t size_at = 124, size_size = 12;
constexpr size_t type_at = 156;
constexpr size_t magic_at = 257;

std::string_view tar_text(Bytes header, size_t at, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(&header[at]), size);
  return text.substr(0, text.find('\0'));
}

/// An octal number with spaces around it.
std::optional<uint64_t> tar_number(Bytes header, size_t at, size_t size) {
  std::string_view text = tar_text(header, at, size);
  uint64_t number = 0;
  size_t digits = 0;
  for (char c : text) {
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    number = number * 8 + static_cast<uint64_t>(c - '0');  // 12 digits at most
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return number;
}

}  // namespace

bool is_tar(std::span<const std::byte> bytes) {
  return bytes.size() >= tar_block && tar_text(bytes, magic_at, 5) == "ustar";
}

std::expected<TarMember, Error> find_btf_member(std::span<const std::byte> archive) {
  std::optional<TarMember> first;
  size_t files = 0;
  for (size_t at = 0; archive.size() - at >= tar_block;) {
    Bytes header = archive.subspan(at, tar_block);
    if (header[name_at] == std::byte{0}) break;  // two empty blocks end the archive
    auto size = tar_number(header, size_at, size_size);
    if (!is_tar(header) || !size) return fail("is damaged: not a valid tar archive");
    at += tar_block;
    if (*size > archive.size() - at) return fail("is cut off: the tar archive has no end");
    char type = static_cast<char>(header[type_at]);
    if (type == '0' || type == '\0') {
      TarMember member{std::string(tar_text(header, name_at, name_size)),
                       archive.subspan(at, static_cast<size_t>(*size))};
      if (member.name.ends_with(".btf")) return member;
      ++files;
      if (!first) first = std::move(member);
    }
    uint64_t padded = (*size + tar_block - 1) / tar_block * tar_block;
    at += static_cast<size_t>(std::min<uint64_t>(padded, archive.size() - at));
  }
  if (files != 1)
    return fail("is a tar archive of {}, none of them named *.btf", count_of(files, "file"));
  return std::move(*first);
}

}  // namespace bpflink
