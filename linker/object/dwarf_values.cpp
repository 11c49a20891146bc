#include "linker/object/dwarf_values.hpp"

#include <iterator>
#include <string>

#include "linker/object/object_file.hpp"

namespace bpflink {
namespace {

enum class Stored : uint8_t {
  Unknown,
  Number,  ///< of the given size, or LEB128 if the size is 0
  Offset,
  Text,
  TextAtOffset,      ///< in .debug_str
  LineTextAtOffset,  ///< in .debug_line_str
  TextAtIndex,       ///< in .debug_str_offsets; the index is a number
  Block,             ///< preceded by its size as a number
  Address,
  EntryAddress,  ///< of an entry of any unit
  Wide,          ///< a number of 16 bytes
  True,          ///< not stored: always true
  Constant,      ///< stored in the abbreviation
};

struct Form {
  Stored as = Stored::Unknown;
  uint8_t size = 0;  ///< bytes
};

// Table 7.6, by form number.
constexpr Form forms[] = {
    {},
    {Stored::Address},  // DW_FORM_addr
    {},
    {Stored::Block, 2},          // block2
    {Stored::Block, 4},          // block4
    {Stored::Number, 2},         // data2
    {Stored::Number, 4},         // data4
    {Stored::Number, 8},         // data8
    {Stored::Text},              // string
    {Stored::Block},             // block
    {Stored::Block, 1},          // block1
    {Stored::Number, 1},         // data1
    {Stored::Number, 1},         // flag
    {Stored::Number},            // sdata
    {Stored::TextAtOffset},      // strp
    {Stored::Number},            // udata
    {Stored::EntryAddress},      // ref_addr
    {Stored::Number, 1},         // ref1
    {Stored::Number, 2},         // ref2
    {Stored::Number, 4},         // ref4
    {Stored::Number, 8},         // ref8
    {Stored::Number},            // ref_udata
    {},                          // indirect
    {Stored::Offset},            // sec_offset
    {Stored::Block},             // exprloc
    {Stored::True},              // flag_present
    {Stored::TextAtIndex},       // strx
    {Stored::Number},            // addrx
    {},                          // ref_sup4
    {},                          // strp_sup
    {Stored::Wide},              // data16
    {Stored::LineTextAtOffset},  // line_strp
    {Stored::Number, 8},         // ref_sig8
    {Stored::Constant},          // implicit_const
    {Stored::Number},            // loclistx
    {Stored::Number},            // rnglistx
    {},                          // ref_sup8
    {Stored::TextAtIndex, 1},    // strx1 to strx4
    {Stored::TextAtIndex, 2},
    {Stored::TextAtIndex, 3},
    {Stored::TextAtIndex, 4},
    {Stored::Number, 1},  // addrx1 to addrx4
    {Stored::Number, 2},
    {Stored::Number, 3},
    {Stored::Number, 4},
};
static_assert(std::size(forms) == 0x2d && forms[DW_FORM_implicit_const].as == Stored::Constant);

/// The bytes of a section; empty if it is compressed or has a .rela section, whose addends the
/// bytes lack.
std::span<const std::byte> contents_of(const ObjectFile& object, std::string_view name) {
  const InputSection* section = object.find_section(name);
  bool is_plain = section && (section->flags & SHF_COMPRESSED) == 0 &&
                  !object.find_section(std::string(".rela").append(name));
  return is_plain ? section->data : std::span<const std::byte>();
}

}  // namespace

uint64_t DwarfCursor::take_number(size_t size) {
  uint64_t from = at_, value = 0;
  skip(size);
  if (!good_) return 0;
  for (size_t i = 0; i < size; ++i) {
    size_t place = order_ == std::endian::little ? size - 1 - i : i;
    value = value << 8 | std::to_integer<uint64_t>(bytes_[from + place]);
  }
  return value;
}

uint64_t DwarfCursor::take_uleb() {
  uint64_t value = 0;
  for (uint64_t shift = 0;; shift += 7) {
    uint64_t byte = take_number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::string_view DwarfCursor::take_string() {
  auto rest = bytes_.subspan(at_);
  auto size = static_cast<uint64_t>(std::ranges::find(rest, std::byte{0}) - rest.begin());
  skip(size + 1);
  return good_ ? std::string_view(reinterpret_cast<const char*>(rest.data()), size) : "";
}

uint64_t DwarfUnit::take_length(DwarfCursor& cursor) {
  uint64_t length = cursor.take_number(4);
  if (length != UINT32_MAX) return length;
  offset_size = 8;
  return cursor.take_number(8);
}

DwarfValues::DwarfValues(const ObjectFile& object) : order_(object.byte_order) {
  info_ = contents_of(object, ".debug_info");
  abbreviations_ = contents_of(object, ".debug_abbrev");
  lines_ = contents_of(object, ".debug_line");
  strings_ = contents_of(object, ".debug_str");
  line_strings_ = contents_of(object, ".debug_line_str");
  string_offsets_ = contents_of(object, ".debug_str_offsets");
}

DwarfValue DwarfValues::read(DwarfCursor& cursor, uint64_t form, uint64_t constant,
                             const DwarfUnit& unit) {
  auto [as, size] = form < std::size(forms) ? forms[form] : Form{};
  auto take_number = [&, size = size] {
    return size == 0 ? cursor.take_uleb() : cursor.take_number(size);
  };
  auto take_offset = [&] { return cursor.take_number(unit.offset_size); };
  switch (as) {
    case Stored::Number:
      return {.number = take_number()};
    case Stored::Offset:
      return {.number = take_offset()};
    case Stored::Text:
      return {.text = cursor.take_string()};
    case Stored::TextAtOffset:
      return {.text = string_at(strings_, take_offset())};
    case Stored::LineTextAtOffset:
      return {.text = string_at(line_strings_, take_offset())};
    case Stored::TextAtIndex:
      return {.text = indexed_string(take_number(), unit)};
    case Stored::Block:
      cursor.skip(take_number());
      return {};
    case Stored::Address:
      cursor.skip(unit.address_size);
      return {};
    case Stored::EntryAddress:
      cursor.skip(unit.version <= 2 ? unit.address_size : unit.offset_size);
      return {};
    case Stored::Wide:
      cursor.skip(16);
      return {};
    case Stored::True:
      return {.number = 1};
    case Stored::Constant:
      return {.number = constant};
    case Stored::Unknown:
      cursor.fail();
  }
  return {};
}

std::string_view DwarfValues::string_at(Bytes bytes, uint64_t offset) {
  if (budget_ == 0) return {};
  DwarfCursor cursor(bytes, offset, order_);
  uint64_t before = cursor.left();
  std::string_view text = cursor.take_string();
  spend(before - cursor.left());
  return text;
}

std::string_view DwarfValues::indexed_string(uint64_t index, const DwarfUnit& unit) {
  if (index > string_offsets_.size()) return {};
  DwarfCursor cursor(string_offsets_, unit.string_offsets, order_);
  cursor.skip(index * unit.offset_size);
  uint64_t offset = cursor.take_number(unit.offset_size);
  return cursor.is_good() ? string_at(strings_, offset) : std::string_view();
}

}  // namespace bpflink
