#include "linker/elf/dwarf_values.hpp"

#include <optional>
#include <string>

#include "linker/elf/elf_file.hpp"
#include "linker/elf/object_file.hpp"

namespace bpflink {
namespace {

// Table 7.6.
enum Form : uint8_t {
  DW_FORM_addr = 0x01,
  DW_FORM_block2 = 0x03,
  DW_FORM_block4 = 0x04,
  DW_FORM_data2 = 0x05,
  DW_FORM_data4 = 0x06,
  DW_FORM_data8 = 0x07,
  DW_FORM_string = 0x08,
  DW_FORM_block = 0x09,
  DW_FORM_block1 = 0x0a,
  DW_FORM_data1 = 0x0b,
  DW_FORM_flag = 0x0c,
  DW_FORM_sdata = 0x0d,
  DW_FORM_strp = 0x0e,
  DW_FORM_udata = 0x0f,
  DW_FORM_ref_addr = 0x10,
  DW_FORM_ref1 = 0x11,
  DW_FORM_ref2 = 0x12,
  DW_FORM_ref4 = 0x13,
  DW_FORM_ref8 = 0x14,
  DW_FORM_ref_udata = 0x15,
  DW_FORM_sec_offset = 0x17,
  DW_FORM_exprloc = 0x18,
  DW_FORM_flag_present = 0x19,
  DW_FORM_strx = 0x1a,
  DW_FORM_addrx = 0x1b,
  DW_FORM_data16 = 0x1e,
  DW_FORM_line_strp = 0x1f,
  DW_FORM_ref_sig8 = 0x20,
  DW_FORM_loclistx = 0x22,
  DW_FORM_rnglistx = 0x23,
  DW_FORM_strx1 = 0x25,
  DW_FORM_strx2 = 0x26,
  DW_FORM_strx3 = 0x27,
  DW_FORM_strx4 = 0x28,
  DW_FORM_addrx1 = 0x29,
  DW_FORM_addrx2 = 0x2a,
  DW_FORM_addrx3 = 0x2b,
  DW_FORM_addrx4 = 0x2c,
};

/// The bytes of the number that a value is, or nothing where the value itself tells its size.
std::optional<size_t> size_of(uint64_t form, const DwarfUnit& unit) {
  switch (form) {
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
      return 8;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
      return unit.offset_size;
    default:
      return std::nullopt;
  }
}

/// Empty where a section's bytes are not its contents: it is compressed, or its addends are
/// elsewhere.
std::span<const std::byte> contents_of(const ElfFile& elf, std::string_view name) {
  auto found = elf.find(name);
  if (!found || elf.find(std::string(".rela").append(name))) return {};
  const ElfSection& section = elf.sections[*found];
  return section.flags & SHF_COMPRESSED ? std::span<const std::byte>() : elf.contents(section);
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
  auto elf = read_elf(object.image);
  if (!elf) return;
  info_ = contents_of(*elf, ".debug_info");
  abbreviations_ = contents_of(*elf, ".debug_abbrev");
  lines_ = contents_of(*elf, ".debug_line");
  strings_ = contents_of(*elf, ".debug_str");
  line_strings_ = contents_of(*elf, ".debug_line_str");
  string_offsets_ = contents_of(*elf, ".debug_str_offsets");
}

DwarfValue DwarfValues::take(DwarfCursor& cursor, uint64_t form, uint64_t constant,
                             const DwarfUnit& unit) {
  if (auto size = size_of(form, unit)) {
    uint64_t number = cursor.take_number(*size);
    if (form == DW_FORM_strp) return {.text = string_at(strings_, number)};
    if (form == DW_FORM_line_strp) return {.text = string_at(line_strings_, number)};
    if (form >= DW_FORM_strx1 && form <= DW_FORM_strx4)
      return {.text = indexed_string(number, unit)};
    return {.number = number};
  }
  switch (form) {
    case DW_FORM_flag_present:
      return {.number = 1};
    case DW_FORM_implicit_const:
      return {.number = constant};
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
      return {.number = cursor.take_uleb()};
    case DW_FORM_string:
      return {.text = cursor.take_string()};
    case DW_FORM_strx:
      return {.text = indexed_string(cursor.take_uleb(), unit)};
    case DW_FORM_addr:
      cursor.skip(unit.address_size);
      return {};
    case DW_FORM_ref_addr:
      cursor.skip(unit.version <= 2 ? unit.address_size : unit.offset_size);
      return {};
    case DW_FORM_data16:
      cursor.skip(16);
      return {};
    case DW_FORM_block1:
      cursor.skip(cursor.take_number(1));
      return {};
    case DW_FORM_block2:
      cursor.skip(cursor.take_number(2));
      return {};
    case DW_FORM_block4:
      cursor.skip(cursor.take_number(4));
      return {};
    case DW_FORM_block:
    case DW_FORM_exprloc:
      cursor.skip(cursor.take_uleb());
      return {};
    default:
      cursor.fail();
      return {};
  }
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
