#include "linker/files/bitcode.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "linker/io/bytes.hpp"

namespace bpflink::lto {
namespace {

constexpr std::string_view magic{"BC\xC0\xDE", 4}, wrapper_magic{"\xDE\xC0\x17\x0B", 4};

bool starts_with(std::span<const std::byte> file, std::string_view text) {
  return text_of(file).starts_with(text);
}

/// The bitcode behind a wrapper header, if there is one; empty if that is damaged.
std::span<const std::byte> unwrap(std::span<const std::byte> file) {
  if (!starts_with(file, wrapper_magic)) return file;
  // Numbers of 4 bytes: the magic, a version, the offset of the bitcode, its size, a machine
  if (file.size() < 20) return {};
  auto offset = load<uint32_t>(&file[8], std::endian::little);
  return offset <= file.size() ? file.subspan(offset) : std::span<const std::byte>();
}

}  // namespace

bool is_cut_off(std::span<const std::byte> file) {
  constexpr size_t header_size = 8;
  constexpr uint32_t enter_block = 1, names_block = 23;
  constexpr unsigned first_with_names = 5;
  std::span<const std::byte> rest = unwrap(file);
  if (rest.size() < magic.size() + header_size) return true;
  if (!starts_with(rest, magic)) return false;
  bool has_names = false;
  for (rest = rest.subspan(magic.size()); rest.size() >= header_size;) {
    auto what = load<uint32_t>(&rest[0], std::endian::little);
    auto words = load<uint32_t>(&rest[4], std::endian::little);
    if (what % 4 != enter_block) return false;
    rest = rest.subspan(header_size);
    if (words > rest.size() / 4) return true;
    has_names |= (what >> 2 & 0xff) == names_block;
    rest = rest.subspan(size_t{4} * words);
  }
  // That block is the last one.
  return !has_names && version_of_producer(producer_of(file)) >= first_with_names;
}

bool is_text(std::span<const std::byte> file) {
  constexpr std::string_view words[] = {"; ModuleID", "source_filename", "target ",
                                        "define ",    "declare ",        "!llvm."};
  std::string_view text = text_of(file);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (std::ranges::any_of(words, [&](auto word) { return text.starts_with(word); })) return true;
    if (!text.starts_with(';')) return false;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

bool is_bitcode(std::span<const std::byte> file) {
  return starts_with(file, magic) || starts_with(file, wrapper_magic) || is_text(file);
}

std::string producer_of(std::span<const std::byte> bitcode) {
  // The identification block is the first. Numbers of five bits begin what is in it.
  constexpr std::string_view begin_of_block{"BC\xC0\xDE\x35\x14\0\0", 8};
  constexpr unsigned width = 5;
  constexpr uint64_t definition = 2, unabbreviated = 3, abbreviated = 4, string_record = 1;
  // LLVM abbreviates the name, the first record, if it is of letters of six bits: three operands,
  // which are a literal, the code of the record, an array (3), and a letter (4).
  constexpr uint64_t letters_definition = 3 | 1 << 5 | string_record << 6 | 3 << 15 | 4 << 19;
  constexpr unsigned letters_definition_width = 22;
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  bitcode = unwrap(bitcode);
  if (!starts_with(bitcode, begin_of_block)) return {};
  size_t at = 8 * (begin_of_block.size() + sizeof(uint32_t));  // behind the size of the block
  const size_t end = 8 * std::min<size_t>(bitcode.size(), 4096);
  auto fixed = [&](unsigned bits) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < bits && at < end; ++bit, ++at)
      value |= (std::to_integer<uint64_t>(bitcode[at / 8]) >> at % 8 & 1) << bit;
    return value;
  };
  auto variable = [&] {  // groups of six bits; the highest says that another one follows
    uint64_t value = 0, group = 32;
    for (unsigned shift = 0; group >= 32 && shift < 60; shift += 5) {
      group = fixed(6);
      value |= group % 32 << shift;
    }
    return value;
  };
  uint64_t begin = fixed(width);
  if (begin == definition) {
    if (fixed(letters_definition_width) != letters_definition) return {};
    begin = fixed(width);
  }
  bool is_plain = begin == unabbreviated && variable() == string_record;
  if (!is_plain && begin != abbreviated) return {};
  std::string text;
  for (uint64_t left = variable(); left > 0 && at < end; --left)
    text += is_plain ? static_cast<char>(variable()) : letters[fixed(6)];
  return text;
}

unsigned version_of_producer(const std::string& producer) {
  unsigned version = 0;
  size_t digits = producer.find_first_of("0123456789");
  if (digits != producer.npos)
    std::from_chars(producer.data() + digits, producer.data() + producer.size(), version);
  return version;
}

}  // namespace bpflink::lto
