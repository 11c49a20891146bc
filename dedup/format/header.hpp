// Reads and writes the header of a blob, its layout section, and words in either byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// .BTF and .BTF.ext begin with the magic number in their byte order, followed by the version.
inline constexpr uint16_t btf_magic = 0xeb9f;
inline constexpr uint8_t btf_version = 1;

/// Where the sections of a blob are, in bytes from its beginning.
struct BtfHeader {
  static constexpr size_t classic_size = 24;
  static constexpr size_t size_with_layout = 32;
  /// The end of the size field, which follows the magic number, version and flags.
  static constexpr size_t size_field_end = 8;

  std::endian order = std::endian::native;
  size_t size = classic_size;
  size_t types_offset = 0, types_size = 0;
  size_t strings_offset = 0, strings_size = 0;
  size_t layout_offset = 0, layout_size = 0;
};

/// The fields of a header as they are, unchecked.
struct BtfHeaderFields {
  std::endian order = std::endian::native;  ///< that of the magic number, if that is right
  uint16_t magic = 0;                       ///< read in that order
  uint8_t version = 0, flags = 0;
  uint32_t size = 0;
  uint32_t types_offset = 0, types_size = 0;  ///< offsets are from the header's end
  uint32_t strings_offset = 0, strings_size = 0;
  uint32_t layout_offset = 0, layout_size = 0;

  /// The header, with offsets in the blob.
  BtfHeader header() const;
};

/// Reads the header fields of a blob of at least BtfHeader::size_field_end bytes. Fields beyond the
/// header's size are 0.
BtfHeaderFields read_header_fields(std::span<const std::byte> blob);

/// Reads the header of a blob. Bytes may follow the sections. Errors: it is not BTF, or its
/// sections overlap or exceed it.
std::expected<BtfHeader, Error> read_header(std::span<const std::byte> blob);

/// Writes a header to the beginning of a blob.
void write_header(const BtfHeader& header, std::span<std::byte> blob);

/// Reads words; `from` may have any alignment.
void read_words(const std::byte* from, std::span<uint32_t> words, std::endian order);
void write_words(std::byte* to, std::span<const uint32_t> words, std::endian order);

/// The layout section: the sizes of each kind, from 0 on.
std::vector<BtfKindLayout> read_layout(std::span<const std::byte> blob, const BtfHeader& header);
void write_layout(std::span<const BtfKindLayout> layout, const BtfHeader& header,
                  std::span<std::byte> blob);

/// A blob of these sections in the order that libbpf requires: types, layout, strings. It has the
/// long header if there is a layout.
std::vector<std::byte> write_blob(std::endian order, std::span<const uint32_t> words,
                                  std::span<const BtfKindLayout> layout,
                                  std::span<const char> strings);

}  // namespace bpflink
