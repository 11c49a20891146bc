#include "dedup/dwarf/forms.hpp"

#include <iterator>

namespace bpflink {
namespace {

using Stored = DwarfStored;

/// Sizes that depend on the unit.
constexpr uint8_t of_offset = 254, of_address = 255;

// Table 7.6, by form number.
constexpr DwarfForm forms[] = {
    {},
    {Stored::Address, of_address},  // DW_FORM_addr
    {},
    {Stored::Block, 2},                      // block2
    {Stored::Block, 4},                      // block4
    {Stored::Number, 2},                     // data2
    {Stored::Number, 4},                     // data4
    {Stored::Number, 8},                     // data8
    {Stored::Text},                          // string
    {Stored::Block},                         // block
    {Stored::Block, 1},                      // block1
    {Stored::Number, 1},                     // data1
    {Stored::Number, 1},                     // flag
    {Stored::Signed},                        // sdata
    {Stored::TextAtOffset, of_offset},       // strp
    {Stored::Number},                        // udata
    {Stored::AnyEntry, of_offset},           // ref_addr
    {Stored::UnitEntry, 1},                  // ref1
    {Stored::UnitEntry, 2},                  // ref2
    {Stored::UnitEntry, 4},                  // ref4
    {Stored::UnitEntry, 8},                  // ref8
    {Stored::UnitEntry},                     // ref_udata
    {Stored::Indirect},                      // indirect
    {Stored::Offset, of_offset},             // sec_offset
    {Stored::Block},                         // exprloc
    {Stored::True},                          // flag_present
    {Stored::TextAtIndex},                   // strx
    {Stored::AddressAtIndex},                // addrx
    {Stored::OtherEntry, 4},                 // ref_sup4
    {Stored::OtherTextAtOffset, of_offset},  // strp_sup
    {Stored::Wide, 16},                      // data16
    {Stored::LineTextAtOffset, of_offset},   // line_strp
    {Stored::Signature, 8},                  // ref_sig8
    {Stored::Constant},                      // implicit_const
    {Stored::ListAtIndex},                   // loclistx
    {Stored::ListAtIndex},                   // rnglistx
    {Stored::OtherEntry, 8},                 // ref_sup8
    {Stored::TextAtIndex, 1},                // strx1 to strx4
    {Stored::TextAtIndex, 2},
    {Stored::TextAtIndex, 3},
    {Stored::TextAtIndex, 4},
    {Stored::AddressAtIndex, 1},  // addrx1 to addrx4
    {Stored::AddressAtIndex, 2},
    {Stored::AddressAtIndex, 3},
    {Stored::AddressAtIndex, 4},
};
static_assert(std::size(forms) == 0x2d && forms[DW_FORM_implicit_const].as == Stored::Constant);

// What GCC wrote before there was version 5, for split DWARF and dwz.
constexpr uint64_t DW_FORM_GNU_addr_index = 0x1f01, DW_FORM_GNU_str_index = 0x1f02,
                   DW_FORM_GNU_ref_alt = 0x1f20, DW_FORM_GNU_strp_alt = 0x1f21;

DwarfForm unsized_form(uint64_t number) {
  if (number < std::size(forms)) return forms[number];
  switch (number) {
    case DW_FORM_GNU_addr_index:
      return {Stored::AddressAtIndex};
    case DW_FORM_GNU_str_index:
      return {Stored::TextAtIndex};
    case DW_FORM_GNU_ref_alt:
      return {Stored::OtherEntry, of_offset};
    case DW_FORM_GNU_strp_alt:
      return {Stored::OtherTextAtOffset, of_offset};
    default:
      return {};
  }
}

}  // namespace

DwarfForm dwarf_form(uint64_t number, const DwarfUnit& unit) {
  DwarfForm form = unsized_form(number);
  if (form.as == Stored::AnyEntry && unit.version <= 2) form.size = of_address;
  if (form.size == of_offset)
    form.size = static_cast<uint8_t>(unit.offset_size);
  else if (form.size == of_address)
    form.size = static_cast<uint8_t>(unit.address_size);
  return form;
}

uint64_t DwarfUnit::take_length(DwarfCursor& cursor) {
  uint64_t length = cursor.take_number(4);
  if (length != UINT32_MAX) return length;
  offset_size = 8;
  return cursor.take_number(8);
}

DwarfUnit DwarfUnit::take(DwarfCursor& cursor, const DwarfSections& sections) {
  DwarfUnit unit;
  unit.sections = &sections;
  unit.begin = cursor.at();
  uint64_t length = unit.take_length(cursor);
  cursor.end_after(length);
  unit.end = cursor.at() + length;
  unit.version = cursor.take_number(2);
  if (unit.version < 2 || unit.version > 5) return unit;
  bool is_new = unit.version == 5;
  unit.type = is_new                        ? static_cast<uint8_t>(cursor.take_number(1))
              : sections.has_old_type_units ? uint8_t{DW_UT_type}
                                            : uint8_t{DW_UT_compile};
  if (is_new) unit.address_size = cursor.take_number(1);
  unit.abbreviations = cursor.take_number(unit.offset_size);
  if (!is_new) unit.address_size = cursor.take_number(1);
  bool has_id = unit.type == DW_UT_skeleton || unit.type == DW_UT_split_compile;
  if (has_id || unit.is_type_unit()) unit.signature = cursor.take_number(8);
  if (unit.is_type_unit()) unit.type_entry = cursor.take_number(unit.offset_size);
  unit.entries = cursor.at();
  return unit;
}

}  // namespace bpflink
