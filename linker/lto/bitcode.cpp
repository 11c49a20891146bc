#include "linker/lto/bitcode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

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
enum class Encoding : uint8_t { Literal, Fixed, Variable, Array, Char6, Blob };

struct Operand {
  Encoding encoding;
  uint64_t value = 0;  ///< of a literal; otherwise the width in bits
};
using Abbreviation = std::vector<Operand>;

Abbreviation read_abbreviation(BitReader& bits) {
  Abbreviation operands;
  for (uint64_t left = bits.variable(5); left > 0 && !bits.is_at_end(); --left) {
    if (bits.fixed(1) == 1) {
      operands.push_back({Encoding::Literal, bits.variable(8)});
      continue;
    }
    auto encoding = static_cast<Encoding>(bits.fixed(3));
    bool has_width = encoding == Encoding::Fixed || encoding == Encoding::Variable;
    operands.push_back({encoding, has_width ? bits.variable(5) : 0});
  }
  return operands;
}

uint64_t read_operand(BitReader& bits, const Operand& operand) {
  constexpr std::string_view characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  switch (operand.encoding) {
    case Encoding::Literal:
      return operand.value;
    case Encoding::Fixed:
      return bits.fixed(static_cast<unsigned>(operand.value));
    case Encoding::Variable:
      return operand.value < 2 ? 0 : bits.variable(static_cast<unsigned>(operand.value));
    case Encoding::Char6:
      return static_cast<unsigned char>(characters[bits.fixed(6)]);
    case Encoding::Array:
    case Encoding::Blob:
      return 0;
  }
  return 0;
}

/// Otherwise a record of a few bytes could have any number of it.
bool takes_bits(const Operand& element) {
  if (element.encoding == Encoding::Variable) return element.value >= 2;
  return element.encoding == Encoding::Char6 ||
         (element.encoding == Encoding::Fixed && element.value != 0);
}

/// The numbers of a record, its code first.
std::vector<uint64_t> read_record(BitReader& bits, const Abbreviation& abbreviation) {
  std::vector<uint64_t> record;
  for (size_t i = 0; i < abbreviation.size(); ++i) {
    if (abbreviation[i].encoding != Encoding::Array) {
      record.push_back(read_operand(bits, abbreviation[i]));
      continue;
    }
    if (i + 1 == abbreviation.size()) break;
    const Operand& element = abbreviation[++i];
    if (!takes_bits(element)) break;
    for (uint64_t left = bits.variable(6); left > 0 && !bits.is_at_end(); --left)
      record.push_back(read_operand(bits, element));
  }
  return record;
}

std::vector<uint64_t> read_unabbreviated(BitReader& bits) {
  std::vector<uint64_t> record{bits.variable(6)};
  for (uint64_t left = bits.variable(6); left > 0 && !bits.is_at_end(); --left)
    record.push_back(bits.variable(6));
  return record;
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
  std::span<const std::byte> rest = unwrap(file);
  if (!starts_with(rest, magic)) return false;
  for (rest = rest.subspan(magic.size()); rest.size() >= header_size;) {
    BitReader bits(rest.first(header_size));
    if (bits.fixed(2) != EnterBlock) return false;
    uint64_t size = header_size + BlockHeader(bits).size;
    if (size > rest.size()) return true;
    rest = rest.subspan(size);
  }
  return false;
}

bool is_bitcode(std::span<const std::byte> file) {
  return starts_with(file, magic) || starts_with(file, wrapper_magic);
}

std::optional<std::string> producer_of(std::span<const std::byte> bitcode) {
  constexpr uint64_t identification_block = 13, string_record = 1;
  bitcode = unwrap(bitcode);
  if (!starts_with(bitcode, magic)) return std::nullopt;
  // The block is the first, and short.
  bitcode = bitcode.first(std::min<size_t>(bitcode.size(), 4096));
  BitReader bits(bitcode.subspan(magic.size()));
  if (bits.fixed(2) != EnterBlock) return std::nullopt;
  BlockHeader block(bits);
  if (block.id != identification_block) return std::nullopt;
  auto width = static_cast<unsigned>(block.width);
  std::vector<Abbreviation> abbreviations;
  while (!bits.is_at_end()) {
    uint64_t id = bits.fixed(width);
    if (id == EndBlock || id == EnterBlock) break;
    if (id == DefineAbbreviation) {
      abbreviations.push_back(read_abbreviation(bits));
      continue;
    }
    if (id >= FirstOwn && id - FirstOwn >= abbreviations.size()) break;
    std::vector<uint64_t> record = id == Unabbreviated
                                       ? read_unabbreviated(bits)
                                       : read_record(bits, abbreviations[id - FirstOwn]);
    if (!record.empty() && record[0] == string_record)
      return std::string(record.begin() + 1, record.end());
  }
  return std::nullopt;
}

unsigned version_of_producer(const std::string& producer) {
  unsigned version = 0;
  size_t digits = producer.find_first_of("0123456789");
  if (digits != producer.npos)
    std::from_chars(producer.data() + digits, producer.data() + producer.size(), version);
  return version;
}

}  // namespace bpflink::lto
