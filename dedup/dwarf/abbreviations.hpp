// Abbreviations: which attributes an entry has, and in which forms. An abbreviation is read once
// and translated to steps, so that entries are read without looking at what nobody needs.
// Specification: DWARF 5, section 7.5.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dedup/dwarf/cursor.hpp"
#include "dedup/dwarf/forms.hpp"

namespace bpflink {

/// The attributes that readers keep. Others are `Other`.
enum class DwarfSlot : uint8_t {
  Other,
  Sibling,
  Location,
  Name,
  ByteSize,
  BitOffset,
  BitSize,
  LowPc,
  Language,
  ConstValue,
  Inline,
  UpperBound,
  AbstractOrigin,
  Artificial,
  CallingConvention,
  Count,
  MemberLocation,
  Declaration,
  Encoding,
  External,
  Specification,
  Type,
  DataBitOffset,
  StringOffsetsBase,
  AddressBase,
  LocationListsBase,
  Producer,
  StatementList,
  Directory,
  DeclFile,
  DeclLine,
  Annotation,
  Import,
  DwoName,
  DwoId,
};
inline constexpr size_t dwarf_slots = static_cast<size_t>(DwarfSlot::DwoId) + 1;

/// What to do for one attribute, or for several that follow each other and are skipped.
struct DwarfStep {
  DwarfSlot slot = DwarfSlot::Other;
  DwarfForm form = {};
  bool is_skip = false;  ///< skips `constant` bytes
  int64_t constant = 0;  ///< of DW_FORM_implicit_const
};

struct DwarfAbbreviation {
  uint16_t tag = 0;
  bool has_children = false;
  uint32_t first_step = 0, steps = 0;
};

/// The abbreviations of a unit.
class DwarfAbbreviations {
 public:
  /// Reads those that begin at `cursor`. False if they are cut off, or a form is unknown, whose
  /// length is then unknown as well.
  bool read(DwarfCursor cursor, const DwarfUnit& unit);

  /// The abbreviation with a code, or null.
  const DwarfAbbreviation* find(uint64_t code) const {
    if (code - 1 < dense_.size()) return &dense_[code - 1];
    if (sparse_.empty()) return nullptr;
    auto found = sparse_.find(code);
    return found == sparse_.end() ? nullptr : &found->second;
  }
  std::span<const DwarfStep> steps(const DwarfAbbreviation& abbreviation) const {
    return {steps_.data() + abbreviation.first_step, abbreviation.steps};
  }
  /// The bytes that read() passed.
  uint64_t size() const { return size_; }

 private:
  void add_step(uint64_t name, DwarfForm form, int64_t constant, size_t first_step, uint64_t& kept);

  std::vector<DwarfAbbreviation> dense_;          ///< with the codes from 1 on, in order
  std::map<uint64_t, DwarfAbbreviation> sparse_;  ///< a file could make hashes collide
  std::vector<DwarfStep> steps_;
  uint64_t size_ = 0;
};

/// An attribute's value.
struct DwarfValue {
  /// A number, an offset, an index, or where a text or block begins in the section of entries.
  uint64_t number = 0;
  uint32_t size = 0;  ///< of a block, in bytes
  DwarfStored as = DwarfStored::Unknown;
};

/// Reads one value. The cursor is not good if the form is unknown.
DwarfValue take_dwarf_value(DwarfCursor& cursor, DwarfForm form, int64_t constant,
                            const DwarfUnit& unit);

/// The attributes of an entry.
class DwarfEntry {
 public:
  bool has(DwarfSlot slot) const { return (present_ >> static_cast<unsigned>(slot) & 1) != 0; }
  /// The value of an attribute; a number 0 if the entry lacks it.
  DwarfValue operator[](DwarfSlot slot) const {
    return has(slot) ? values_[static_cast<size_t>(slot)] : DwarfValue{};
  }
  uint64_t number(DwarfSlot slot) const { return (*this)[slot].number; }

  /// Reads the attributes of an entry, whose code was read.
  void take(DwarfCursor& cursor, std::span<const DwarfStep> steps, const DwarfUnit& unit) {
    present_ = 0;
    for (const DwarfStep& step : steps) {
      if (step.is_skip) {
        cursor.skip(static_cast<uint64_t>(step.constant));
        continue;
      }
      DwarfValue value = take_dwarf_value(cursor, step.form, step.constant, unit);
      values_[static_cast<size_t>(step.slot)] = value;
      present_ |= uint64_t{1} << static_cast<unsigned>(step.slot);
    }
  }

 private:
  uint64_t present_ = 0;
  DwarfValue values_[dwarf_slots];
};

/// Reads an entry. Its abbreviation, or null if it is the end of a list of children, or has one
/// that is not defined.
inline const DwarfAbbreviation* take_dwarf_entry(DwarfCursor& cursor,
                                                 const DwarfAbbreviations& abbreviations,
                                                 const DwarfUnit& unit, DwarfEntry& entry) {
  const DwarfAbbreviation* found = abbreviations.find(cursor.take_uleb());
  if (found) entry.take(cursor, abbreviations.steps(*found), unit);
  return found;
}

inline DwarfValue take_dwarf_value(DwarfCursor& cursor, DwarfForm form, int64_t constant,
                                   const DwarfUnit& unit) {
  using enum DwarfStored;
  DwarfValue value{.as = form.as};
  if (form.as == Indirect) {
    form = dwarf_form(cursor.take_uleb(), unit);
    value.as = form.as;
  }
  switch (form.as) {
    case Signed:
      value.number = static_cast<uint64_t>(cursor.take_sleb());
      break;
    case Text:
      value.number = cursor.at();
      cursor.take_string();
      break;
    case Block: {
      uint64_t size = form.size == 0 ? cursor.take_uleb() : cursor.take_number(form.size);
      value.number = cursor.at();
      value.size = static_cast<uint32_t>(size);
      cursor.skip(size);
      break;
    }
    case Wide:
      cursor.skip(form.size);
      break;
    case True:
      value.number = 1;
      break;
    case Constant:
      value.number = static_cast<uint64_t>(constant);
      break;
    case Unknown:
    case Indirect:  // twice: no compiler writes it
      cursor.fail();
      break;
    default:
      value.number = form.size == 0 ? cursor.take_uleb() : cursor.take_number(form.size);
      break;
  }
  return value;
}

}  // namespace bpflink
