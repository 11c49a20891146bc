#include "dedup/format/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {

namespace {

constexpr size_t size_field_end = BtfHeader::size_field_end;

uint16_t in_order(uint16_t half, std::endian order) {
  return order == std::endian::native ? half : std::byteswap(half);
}

/// The size and version, and the byte order of the magic number.
std::expected<void, Error> check_preamble(const BtfHeaderFields& fields, size_t blob_size) {
  if (fields.magic != btf_magic)
    return fail("not BTF: magic number is {:#06x}, not {:#06x}", fields.magic, btf_magic);
  if (fields.version != btf_version)
    return fail("BTF version {} is not {}", fields.version, btf_version);
  if (fields.size < BtfHeader::classic_size)
    return fail("header length {} is less than {}", fields.size, BtfHeader::classic_size);
  if (fields.size > blob_size)
    return fail("header length {} is more than the blob's {}", fields.size,
                count_of(blob_size, "byte"));
  return {};
}

std::expected<void, Error> check_section(const char* name, size_t offset, size_t size,
                                         size_t alignment, const BtfHeader& header,
                                         size_t blob_size) {
  if (offset > blob_size || size > blob_size - offset)
    return fail("{} section at offset {} with {} exceeds the blob's {}", name, offset,
                count_of(size, "byte"), count_of(blob_size, "byte"));
  if ((offset - header.size) % alignment != 0 || size % alignment != 0)
    return fail("{} section at offset {} with {} is not aligned to {}", name, offset,
                count_of(size, "byte"), alignment);
  return {};
}

std::expected<void, Error> check_sections(const BtfHeader& h, size_t blob_size) {
  struct Section {
    const char* name;
    size_t offset, size, alignment;
  };
  // Gaps between sections are allowed: the kernel refuses them, but user-space tools write them.
  Section sections[] = {{"type", h.types_offset, h.types_size, 4},
                        {"string", h.strings_offset, h.strings_size, 1},
                        {"layout", h.layout_offset, h.layout_size, 4}};
  // An empty layout section is none, wherever it is.
  std::span<Section> present = std::span(sections).first(h.layout_size != 0 ? 3 : 2);
  for (const Section& s : present)
    TRY(check_section(s.name, s.offset, s.size, s.alignment, h, blob_size));
  std::ranges::sort(present, {}, [](const Section& s) { return std::pair(s.offset, s.size); });
  for (size_t i = 0; i + 1 < present.size(); ++i)
    if (present[i].offset + present[i].size > present[i + 1].offset)
      return fail("{} section at offset {} overlaps the {} section at offset {}", present[i].name,
                  present[i].offset, present[i + 1].name, present[i + 1].offset);
  return {};
}

/// How many words after the header's size have a known meaning.
size_t known_fields(size_t header_size) {
  return (std::min(header_size, BtfHeader::size_with_layout) - size_field_end) / sizeof(uint32_t);
}

}  // namespace

BtfHeader BtfHeaderFields::header() const {
  size_t end = size;
  return {.order = order,
          .size = end,
          .types_offset = end + types_offset,
          .types_size = types_size,
          .strings_offset = end + strings_offset,
          .strings_size = strings_size,
          .layout_offset = layout_size != 0 ? end + layout_offset : end,
          .layout_size = layout_size};
}

BtfHeaderFields read_header_fields(std::span<const std::byte> blob) {
  BtfHeaderFields fields;
  std::memcpy(&fields.magic, blob.data(), sizeof fields.magic);
  if (fields.magic == std::byteswap(btf_magic)) {
    fields.magic = btf_magic;
    fields.order =
        std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  }
  fields.version = static_cast<uint8_t>(blob[2]);
  fields.flags = static_cast<uint8_t>(blob[3]);
  read_words(&blob[4], {&fields.size, 1}, fields.order);
  uint32_t words[6] = {};
  size_t size = std::min<size_t>(fields.size, blob.size());
  size_t known = size < size_field_end ? 0 : known_fields(size);
  read_words(blob.data() + 8, std::span(words).first(known), fields.order);
  fields.types_offset = words[0];
  fields.types_size = words[1];
  fields.strings_offset = words[2];
  fields.strings_size = words[3];
  fields.layout_offset = words[4];
  fields.layout_size = words[5];
  return fields;
}

std::expected<BtfHeader, Error> read_header(std::span<const std::byte> blob) {
  if (blob.size() < BtfHeader::classic_size)
    return fail("{} {} too few for a header of {}", count_of(blob.size(), "byte"),
                agree(blob.size(), "is", "are"), BtfHeader::classic_size);
  BtfHeaderFields fields = read_header_fields(blob);
  TRY(check_preamble(fields, blob.size()));
  size_t size = fields.size;
  // A longer header is readable if its unknown fields are 0.
  for (size_t i = size_field_end + 4 * known_fields(size); i < size; ++i)
    if (blob[i] != std::byte{0}) return fail("unknown header field at offset {} is not zero", i);
  BtfHeader header = fields.header();
  TRY(check_sections(header, blob.size()));
  return header;
}

void write_header(const BtfHeader& header, std::span<std::byte> blob) {
  uint16_t magic = in_order(btf_magic, header.order);
  std::memcpy(blob.data(), &magic, sizeof magic);
  blob[2] = std::byte{btf_version};
  auto from_end = [&](size_t offset) { return static_cast<uint32_t>(offset - header.size); };
  const uint32_t words[] = {
      static_cast<uint32_t>(header.size),         from_end(header.types_offset),
      static_cast<uint32_t>(header.types_size),   from_end(header.strings_offset),
      static_cast<uint32_t>(header.strings_size), from_end(header.layout_offset),
      static_cast<uint32_t>(header.layout_size)};
  write_words(&blob[4], std::span(words).first(1 + known_fields(header.size)), header.order);
}

void read_words(const std::byte* from, std::span<uint32_t> words, std::endian order) {
  if (words.empty()) return;  // then `from` may be null
  std::memcpy(words.data(), from, words.size_bytes());
  if (order == std::endian::native) return;
  for (uint32_t& word : words) word = std::byteswap(word);
}

void write_words(std::byte* to, std::span<const uint32_t> words, std::endian order) {
  if (words.empty()) return;
  if (order == std::endian::native) {
    std::memcpy(to, words.data(), words.size_bytes());
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    uint32_t word = std::byteswap(words[i]);
    std::memcpy(to + 4 * i, &word, sizeof word);
  }
}

std::vector<BtfKindLayout> read_layout(std::span<const std::byte> blob, const BtfHeader& header) {
  auto section = blob.subspan(header.layout_offset, header.layout_size);
  std::vector<BtfKindLayout> layout(section.size() / 4);
  for (size_t i = 0; i < layout.size(); ++i) {
    uint16_t flags = 0;
    std::memcpy(&flags, &section[4 * i + 2], sizeof flags);
    layout[i] = {static_cast<uint8_t>(section[4 * i]), static_cast<uint8_t>(section[4 * i + 1]),
                 in_order(flags, header.order)};
  }
  return layout;
}

void write_layout(std::span<const BtfKindLayout> layout, const BtfHeader& header,
                  std::span<std::byte> blob) {
  std::byte* to = blob.data() + header.layout_offset;
  for (const BtfKindLayout& kind : layout) {
    to[0] = std::byte{kind.info_size};
    to[1] = std::byte{kind.element_size};
    uint16_t flags = in_order(kind.flags, header.order);
    std::memcpy(to + 2, &flags, sizeof flags);
    to += 4;
  }
}

std::vector<std::byte> write_blob(std::endian order, std::span<const uint32_t> words,
                                  std::span<const BtfKindLayout> layout,
                                  std::span<const char> strings) {
  // The first two sections consist of words, so no section needs padding.
  BtfHeader header;
  header.order = order;
  if (!layout.empty()) header.size = BtfHeader::size_with_layout;
  header.types_offset = header.size;
  header.types_size = words.size_bytes();
  header.layout_offset = header.types_offset + header.types_size;
  header.layout_size = layout.size_bytes();
  header.strings_offset = header.layout_offset + header.layout_size;
  header.strings_size = strings.size();
  std::vector<std::byte> blob(header.strings_offset + header.strings_size);
  write_header(header, blob);
  write_words(blob.data() + header.types_offset, words, order);
  write_layout(layout, header, blob);
  std::ranges::copy(std::as_bytes(strings),
                    blob.begin() + static_cast<ptrdiff_t>(header.strings_offset));
  return blob;
}

}  // namespace bpflink
