// Reads expressions and lists of locations, as far as the places of parameters and variables need
// it. Specification: DWARF 5, sections 2.5, 2.6, 7.7.1 and 7.7.3; DWARF 4, section 7.7.3.
#include <algorithm>
#include <optional>

#include "dedup/dwarf/functions.hpp"

namespace bpflink {
namespace {

enum Operation : uint8_t {
  DW_OP_addr = 0x03,
  DW_OP_plus_uconst = 0x23,
  DW_OP_reg0 = 0x50,
  DW_OP_reg31 = 0x6f,
  DW_OP_breg0 = 0x70,
  DW_OP_breg31 = 0x8f,
  DW_OP_stack_value = 0x9f,
  DW_OP_addrx = 0xa1,
  DW_OP_entry_value = 0xa3,
  DW_OP_GNU_entry_value = 0xf3,
  DW_OP_GNU_addr_index = 0xfb,
};

/// How an operand is stored: as a number of so many bytes, or otherwise.
enum class Operand : uint8_t {
  None,
  One,
  Two,
  Four = 4,
  Eight = 8,
  Leb,
  Address,
  Offset,
  Block,
  SmallBlock
};

struct Operands {
  uint8_t first, last;  ///< operations
  Operand one, two = Operand::None;
};

/// The operations with operands.
constexpr Operands operands_of[] = {
    {0x03, 0x03, Operand::Address},                   // addr
    {0x08, 0x09, Operand::One},                       // const1u, const1s
    {0x0a, 0x0b, Operand::Two},                       // const2
    {0x0c, 0x0d, Operand::Four},                      // const4
    {0x0e, 0x0f, Operand::Eight},                     // const8
    {0x10, 0x11, Operand::Leb},                       // constu, consts
    {0x15, 0x15, Operand::One},                       // pick
    {0x23, 0x23, Operand::Leb},                       // plus_uconst
    {0x28, 0x28, Operand::Two},                       // bra
    {0x2f, 0x2f, Operand::Two},                       // skip
    {0x70, 0x91, Operand::Leb},                       // breg, regx, fbreg
    {0x92, 0x92, Operand::Leb, Operand::Leb},         // bregx
    {0x93, 0x93, Operand::Leb},                       // piece
    {0x94, 0x95, Operand::One},                       // deref_size, xderef_size
    {0x98, 0x98, Operand::Two},                       // call2
    {0x99, 0x99, Operand::Four},                      // call4
    {0x9a, 0x9a, Operand::Offset},                    // call_ref
    {0x9d, 0x9d, Operand::Leb, Operand::Leb},         // bit_piece
    {0x9e, 0x9e, Operand::Block},                     // implicit_value
    {0xa0, 0xa0, Operand::Offset, Operand::Leb},      // implicit_pointer
    {0xa1, 0xa2, Operand::Leb},                       // addrx, constx
    {0xa3, 0xa3, Operand::Block},                     // entry_value
    {0xa4, 0xa4, Operand::Leb, Operand::SmallBlock},  // const_type
    {0xa5, 0xa5, Operand::Leb, Operand::Leb},         // regval_type
    {0xa6, 0xa7, Operand::One, Operand::Leb},         // deref_type, xderef_type
    {0xa8, 0xa9, Operand::Leb},                       // convert, reinterpret
    {0xf2, 0xf2, Operand::Offset, Operand::Leb},      // GNU_implicit_pointer
    {0xf3, 0xf3, Operand::Block},                     // GNU_entry_value
    {0xf4, 0xf4, Operand::Leb, Operand::SmallBlock},  // GNU_const_type
    {0xf5, 0xf5, Operand::Leb, Operand::Leb},         // GNU_regval_type
    {0xf6, 0xf6, Operand::One, Operand::Leb},         // GNU_deref_type
    {0xf7, 0xf7, Operand::Leb},                       // GNU_convert
    {0xf9, 0xf9, Operand::Leb},                       // GNU_reinterpret
    {0xfa, 0xfa, Operand::Four},                      // GNU_parameter_ref
    {0xfb, 0xfc, Operand::Leb},                       // GNU_addr_index, GNU_const_index
    {0xfd, 0xfd, Operand::Offset},                    // GNU_variable_value
};

/// By operation, one past the index of its operands; 0 if it has none.
constexpr auto operand_index = [] {
  std::array<uint8_t, 256> table{};
  for (uint8_t row = 1; const Operands& operands : operands_of) {
    for (unsigned op = operands.first; op <= operands.last; ++op) table[op] = row;
    ++row;
  }
  return table;
}();

uint64_t take_operand(DwarfCursor& cursor, Operand operand, const DwarfUnit& unit) {
  switch (operand) {
    case Operand::Leb:
    case Operand::Block:
      return cursor.take_uleb();
    case Operand::SmallBlock:
      return cursor.take_number(1);
    case Operand::Address:
      return cursor.take_number(unit.address_size);
    case Operand::Offset:
      return cursor.take_number(unit.version <= 2 ? unit.address_size : unit.offset_size);
    default:
      return cursor.take_number(static_cast<size_t>(operand));
  }
}

bool is_register(uint8_t operation) {
  return operation >= DW_OP_reg0 && operation <= DW_OP_reg31;
}

struct Step {
  uint8_t operation = 0;
  uint64_t operand = 0;  ///< the first
  uint64_t block = 0;    ///< where it begins, if it is a block
};

class Expression {
 public:
  Expression(DwarfCursor cursor, const DwarfUnit& unit) : cursor_(cursor), unit_(unit) {}

  std::optional<Step> next() {
    if (cursor_.left() == 0) return std::nullopt;
    Step step{.operation = static_cast<uint8_t>(cursor_.take_number(1))};
    if (uint8_t row = operand_index[step.operation]; row != 0) {
      const Operands& operands = operands_of[row - 1];
      take(operands.one, step);
      Step rest;
      take(operands.two, rest);
    }
    return cursor_.is_good() ? std::optional(step) : std::nullopt;
  }

 private:
  void take(Operand operand, Step& step) {
    step.operand = take_operand(cursor_, operand, unit_);
    if (operand != Operand::Block && operand != Operand::SmallBlock) return;
    step.block = cursor_.at();
    cursor_.skip(step.operand);
  }

  DwarfCursor cursor_;
  const DwarfUnit& unit_;
};

/// Finds a parameter's register in the expressions of its places, the first of which is the one at
/// the entry. Further ones only count where they name the value at the entry, or a piece.
class PlaceReader {
 public:
  PlaceReader(const DwarfUnit& unit, bool is_large) : unit_(unit), is_large_(is_large) {}

  /// Whether the register is known.
  bool read(std::span<const std::byte> section, uint64_t at, uint64_t size) {
    DwarfCursor cursor(section, at, unit_.sections->order);
    cursor.end_after(size);
    bool is_first = is_first_;
    is_first_ = false;
    Expression expression(cursor, unit_);
    std::optional<Step> first = expression.next();
    if (!first) return false;
    size_t count = 1;
    bool ends_as_value = false, has_value = false;
    uint8_t any_register = is_register(first->operation) ? first->operation : 0;
    for (auto step = expression.next(); step; step = expression.next()) {
      ++count;
      ends_as_value = step->operation == DW_OP_stack_value;
      has_value |= ends_as_value;
      if (any_register == 0 && is_register(step->operation)) any_register = step->operation;
    }
    bool is_single = count == 1 || (count == 2 && ends_as_value);
    if (is_large_ && !is_single) {
      if (any_register != 0) place.register_number = any_register - DW_OP_reg0;
    } else if (is_register(first->operation)) {
      if (is_first) place.register_number = first->operation - DW_OP_reg0;
    } else if (first->operation >= DW_OP_breg0 && first->operation <= DW_OP_breg31) {
      if (is_first && (is_single ? ends_as_value : has_value))
        place.register_number = first->operation - DW_OP_breg0;
    } else if (is_single && (first->operation == DW_OP_entry_value ||
                             first->operation == DW_OP_GNU_entry_value)) {
      read_entry_value(section, *first);
    }
    return place.register_number != DwarfCallingConvention::unknown_register;
  }

  DwarfParameterPlace place{.is_known = true};

 private:
  void read_entry_value(std::span<const std::byte> section, const Step& step) {
    DwarfCursor cursor(section, step.block, unit_.sections->order);
    cursor.end_after(step.operand);
    Expression expression(cursor, unit_);
    std::optional<Step> inner = expression.next();
    if (inner && is_register(inner->operation) && !expression.next())
      place.register_number = inner->operation - DW_OP_reg0;
  }

  const DwarfUnit& unit_;
  bool is_large_, is_first_ = true;
};

/// A list that begins at `at`. Any number of parameters may have a list, or its end, so that no
/// more of it is read than a source needs.
DwarfCursor begin_list(std::span<const std::byte> section, uint64_t at, std::endian order) {
  constexpr uint64_t longest = 1 << 15;
  DwarfCursor cursor(section, at, order);
  cursor.end_after(std::min(longest, cursor.left()));
  return cursor;
}

/// What an entry of a list begins with.
struct ListEntry {
  Operand one = Operand::None, two = Operand::None;
  bool has_place = true;
};

/// By kind, from 1 on: of version 5, and of a .dwo file before.
constexpr ListEntry list_entries[] = {
    {Operand::Leb, Operand::None, false},      // base_addressx
    {Operand::Leb, Operand::Leb},              // startx_endx
    {Operand::Leb, Operand::Leb},              // startx_length
    {Operand::Leb, Operand::Leb},              // offset_pair
    {},                                        // default_location
    {Operand::Address, Operand::None, false},  // base_address
    {Operand::Address, Operand::Address},      // start_end
    {Operand::Address, Operand::Leb},          // start_length
    {Operand::Leb, Operand::Leb, false},       // view_pair
};
constexpr ListEntry old_split_entries[] = {
    {Operand::Leb, Operand::None, false},  // base_address_selection_entry
    {Operand::Leb, Operand::Leb},          // start_end_entry
    {Operand::Leb, Operand::Four},         // start_length_entry
    {Operand::Four, Operand::Four},        // offset_pair_entry
};

void read_list(PlaceReader& reader, const DwarfUnit& unit, uint64_t at) {
  const DwarfSections& sections = *unit.sections;
  const bool is_new = unit.version >= 5;
  auto section = is_new ? sections.location_lists : sections.old_location_lists;
  auto entries = is_new ? std::span<const ListEntry>(list_entries) : old_split_entries;
  DwarfCursor cursor = begin_list(section, at, sections.order);
  while (cursor.is_good()) {
    const uint64_t kind = cursor.take_number(1);
    if (kind - 1 >= entries.size()) return;
    const ListEntry& entry = entries[kind - 1];
    take_operand(cursor, entry.one, unit);
    take_operand(cursor, entry.two, unit);
    if (!entry.has_place) continue;
    uint64_t size = is_new ? cursor.take_uleb() : cursor.take_number(2), begin = cursor.at();
    cursor.skip(size);
    if (!cursor.is_good() || reader.read(section, begin, size)) return;
  }
}

/// A list of a version before 5 that is not split.
void read_old_list(PlaceReader& reader, const DwarfUnit& unit, uint64_t at) {
  std::span<const std::byte> section = unit.sections->old_location_lists;
  DwarfCursor cursor = begin_list(section, at, unit.sections->order);
  const uint64_t largest = unit.address_size >= 8 ? UINT64_MAX : UINT32_MAX;
  while (cursor.is_good()) {
    uint64_t begin = cursor.take_number(unit.address_size);
    uint64_t end = cursor.take_number(unit.address_size);
    if (begin == 0 && end == 0) return;
    if (begin == largest) continue;  // a new base
    uint64_t size = cursor.take_number(2), expression = cursor.at();
    cursor.skip(size);
    if (!cursor.is_good() || reader.read(section, expression, size)) return;
  }
}

uint64_t address_at_index(const DwarfUnit& unit, uint64_t index) {
  const DwarfSections& sections = *unit.sections;
  if (index > sections.addresses.size()) return 0;
  DwarfCursor cursor(sections.addresses, unit.addresses, sections.order);
  cursor.skip(index * unit.address_size);
  return cursor.take_number(unit.address_size);
}

}  // namespace

DwarfParameterPlace read_parameter_place(const DwarfUnit& unit, DwarfValue location,
                                         bool is_large) {
  if (location.as == DwarfStored::Unknown) return {};
  const DwarfSections& sections = *unit.sections;
  PlaceReader reader(unit, is_large);
  if (location.as == DwarfStored::Block) {
    reader.read(sections.info, location.number, location.size);
  } else if (location.as == DwarfStored::ListAtIndex) {
    DwarfCursor cursor(sections.location_lists, unit.location_lists, sections.order);
    cursor.skip(std::min<uint64_t>(location.number, sections.location_lists.size()) *
                unit.offset_size);
    uint64_t offset = cursor.take_number(unit.offset_size);
    if (cursor.is_good()) read_list(reader, unit, unit.location_lists + offset);
  } else if (unit.version >= 5) {
    read_list(reader, unit, location.number);
  } else if (sections.is_split) {
    read_list(reader, unit, unit.location_lists + location.number);
  } else {
    read_old_list(reader, unit, location.number);
  }
  return reader.place;
}

DwarfAddress read_variable_address(const DwarfUnit& unit, DwarfValue location) {
  if (location.as != DwarfStored::Block) return {};
  DwarfCursor cursor = unit.cursor(location.number);
  cursor.end_after(location.size);
  Expression expression(cursor, unit);
  std::optional<Step> step = expression.next();
  if (!step) return {};
  DwarfAddress address{.is_known = true, .value = step->operand};
  if (step->operation == DW_OP_addrx || step->operation == DW_OP_GNU_addr_index)
    address.value = address_at_index(unit, step->operand);
  else if (step->operation != DW_OP_addr)
    return {};
  if (auto more = expression.next(); more && more->operation == DW_OP_plus_uconst)
    address.value += more->operand;
  return address;
}

uint64_t read_code_address(const DwarfUnit& unit, DwarfValue value) {
  return value.as == DwarfStored::AddressAtIndex ? address_at_index(unit, value.number)
                                                 : value.number;
}

}  // namespace bpflink
