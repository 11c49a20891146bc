// The forms of attributes, and the headers of units. Specification: DWARF 5, sections 7.4 (the
// sizes of offsets), 7.5.1 (headers), 7.5.5 and 7.5.6 (forms).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dedup/dwarf/constants.hpp"
#include "dedup/dwarf/cursor.hpp"
#include "dedup/dwarf/sections.hpp"

namespace bpflink {

/// How a value is stored.
enum class DwarfStored : uint8_t {
  Unknown,
  Number,     ///< of the given size, or unsigned LEB128 if the size is 0
  Signed,     ///< signed LEB128
  UnitEntry,  ///< a number: bytes from the unit's beginning
  AnyEntry,   ///< an offset in the section: an entry of any unit
  Signature,  ///< of a type unit, 8 bytes
  Offset,
  Text,
  TextAtOffset,       ///< in .debug_str
  LineTextAtOffset,   ///< in .debug_line_str
  OtherTextAtOffset,  ///< in the .debug_str of a supplementary file
  OtherEntry,         ///< an entry of a supplementary file
  TextAtIndex,        ///< in .debug_str_offsets; the index is a number
  AddressAtIndex,     ///< in .debug_addr
  ListAtIndex,        ///< in .debug_loclists or .debug_rnglists
  Block,              ///< preceded by its size as a number
  Address,
  Wide,      ///< a number of 16 bytes
  True,      ///< not stored: always true
  Constant,  ///< stored in the abbreviation
  Indirect,  ///< preceded by its form
};

struct DwarfForm {
  DwarfStored as = DwarfStored::Unknown;
  uint8_t size = 0;  ///< bytes; 0 if it varies
};

inline constexpr uint64_t DW_FORM_implicit_const = 0x21;

/// The header of a unit: what determines how forms are read, and where its entries begin.
struct DwarfUnit {
  const DwarfSections* sections = nullptr;
  uint64_t version = 0;
  uint64_t address_size = 8;    ///< bytes
  size_t offset_size = 4;       ///< bytes
  uint8_t type = 0;             ///< DwarfUnitType; before version 5 always DW_UT_compile
  uint64_t abbreviations = 0;   ///< where they begin
  uint64_t begin = 0, end = 0;  ///< in the section of entries
  uint64_t entries = 0;         ///< where they begin
  uint64_t signature = 0;       ///< of a type unit; the id of a split one
  uint64_t type_entry = 0;      ///< of a type unit, in bytes from `begin`
  /// Where the unit's string offsets, addresses and location lists begin.
  uint64_t string_offsets = 0, addresses = 0, location_lists = 0;

  /// Reads the unit's length: the bytes after this field.
  uint64_t take_length(DwarfCursor& cursor);
  /// Reads a header, and ends the cursor's data at the unit's end. The cursor is not good if the
  /// header is cut off. It is at the entries if the version is one from 2 to 5.
  static DwarfUnit take(DwarfCursor& cursor, const DwarfSections& sections);

  bool is_type_unit() const { return type == DW_UT_type || type == DW_UT_split_type; }
  /// Reads its entries from an offset of their section on.
  DwarfCursor cursor(uint64_t at) const { return {sections->info.first(end), at, sections->order}; }
  DwarfCursor abbreviation_cursor() const {
    return {sections->abbreviations, abbreviations, sections->order};
  }
};

/// The form with a number; `Unknown` for other numbers.
DwarfForm dwarf_form(uint64_t number, const DwarfUnit& unit);

}  // namespace bpflink
