#include "linker/lto/bitcode.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bpflink::lto {
namespace {

constexpr std::string_view magic{"BC\xC0\xDE", 4}, wrapper_magic{"\xDE\xC0\x17\x0B", 4};

bool starts_with(std::span<const std::byte> file, std::string_view text) {
  return file.size() >= text.size() && std::memcmp(file.data(), text.data(), text.size()) == 0;
}

/// Reads a stream of bits, the lowest of each byte first. Behind its end are zeros.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t fixed(unsigned width) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < width && bit < 64; ++bit, ++at_)
      if (at_ / 8 < bytes_.size())
        value |= (std::to_integer<uint64_t>(bytes_[at_ / 8]) >> at_ % 8 & 1) << bit;
    return value;
  }
  /// A number in groups of bits, of which the highest says that another group follows.
  uint64_t variable(unsigned width) {
    const uint64_t more = uint64_t{1} << (width - 1);
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += width - 1) {
      uint64_t group = fixed(width);
      value |= (group & (more - 1)) << shift;
      if (!(group & more)) break;
    }
    return value;
  }
  void align() { at_ = (at_ + 31) / 32 * 32; }
  bool is_at_end() const { return at_ / 8 >= bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

enum AbbreviationId : uint8_t { EndBlock, EnterBlock, DefineAbbreviation, Unabbreviated, FirstOwn };

/// Whether the definition of an abbreviation is the one that LLVM has for the name of a producer: a
/// literal, the code of the record, and an array of letters of six bits each.
bool defines_letters(BitReader& bits, uint64_t code) {
  constexpr uint64_t array = 3, letter = 4, operands = 3;
  return bits.variable(5) == operands && bits.fixed(1) == 1 && bits.variable(8) == code &&
         bits.fixed(1) == 0 && bits.fixed(3) == array && bits.fixed(1) == 0 &&
         bits.fixed(3) == letter;
}

/// The bitcode behind a wrapper header, if there is one; empty if that is damaged.
std::span<const std::byte> unwrap(std::span<const std::byte> file) {
  if (!starts_with(file, wrapper_magic)) return file;
  // Numbers of 4 bytes: the magic, a version, the offset of the bitcode, its size, a machine
  uint32_t offset = 0;
  if (file.size() < 20) return {};
  std::memcpy(&offset, &file[8], sizeof offset);
  return offset <= file.size() ? file.subspan(offset) : std::span<const std::byte>();
}

/// Reads the begin of a block, behind its EnterBlock.
struct BlockHeader {
  uint64_t id, width, size;  ///< size: bytes behind this

  explicit BlockHeader(BitReader& bits) : id(bits.variable(8)), width(bits.variable(4)) {
    bits.align();
    size = 4 * bits.fixed(32);
  }
};

}  // namespace

bool is_cut_off(std::span<const std::byte> file) {
  constexpr size_t header_size = 8;  // at most, of a block
  constexpr uint64_t names_block = 23;
  constexpr unsigned first_with_names = 5;
  std::span<const std::byte> rest = unwrap(file);
  if (rest.size() < magic.size() + header_size) return true;
  if (!starts_with(rest, magic)) return false;
  bool has_names = false;
  for (rest = rest.subspan(magic.size()); rest.size() >= header_size;) {
    BitReader bits(rest.first(header_size));
    if (bits.fixed(2) != EnterBlock) return false;
    BlockHeader header(bits);
    if (header.size > rest.size() - header_size) return true;
    has_names |= header.id == names_block;
    rest = rest.subspan(header_size + header.size);
  }
  // That block is the last one.
  return !has_names && version_of_producer(producer_of(file).value_or("")) >= first_with_names;
}

bool is_bitcode(std::span<const std::byte> file) {
  return starts_with(file, magic) || starts_with(file, wrapper_magic);
}

std::optional<std::string> producer_of(std::span<const std::byte> bitcode) {
  constexpr uint64_t identification_block = 13, string_record = 1;
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  bitcode = unwrap(bitcode);
  if (!starts_with(bitcode, magic)) return std::nullopt;
  // The block is the first, and short.
  bitcode = bitcode.first(std::min<size_t>(bitcode.size(), 4096));
  BitReader bits(bitcode.subspan(magic.size()));
  if (bits.fixed(2) != EnterBlock) return std::nullopt;
  BlockHeader block(bits);
  if (block.id != identification_block) return std::nullopt;
  for (;;) {
    uint64_t id = bits.fixed(static_cast<unsigned>(block.width));
    if (id == DefineAbbreviation && defines_letters(bits, string_record)) continue;
    if (id != Unabbreviated && id != FirstOwn) return std::nullopt;
    bool is_string = id == FirstOwn || bits.variable(6) == string_record;
    std::string text;
    for (uint64_t left = bits.variable(6); left > 0 && !bits.is_at_end(); --left)
      text += id == FirstOwn ? letters[bits.fixed(6)] : static_cast<char>(bits.variable(6));
    if (is_string) return text;
    if (bits.is_at_end()) return std::nullopt;
  }
}

unsigned version_of_producer(const std::string& producer) {
  unsigned version = 0;
  size_t digits = producer.find_first_of("0123456789");
  if (digits != producer.npos)
    std::from_chars(producer.data() + digits, producer.data() + producer.size(), version);
  return version;
}

}  // namespace bpflink::lto
