// Reads the values of DWARF entries, in all forms of versions 2 to 5.
//
// Specification: DWARF 5, sections 7.4 (the sizes of offsets), 7.5.5 and 7.5.6 (forms).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bpflink {

struct ObjectFile;

/// Reads on from a place. Once something does not fit, all that follows is 0 or empty.
class DwarfCursor {
 public:
  DwarfCursor(std::span<const std::byte> bytes, uint64_t at, std::endian order)
      : bytes_(bytes), order_(order) {
    skip(at);
  }

  bool is_good() const { return good_; }
  uint64_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  void fail() {
    good_ = false;
    at_ = bytes_.size();
  }
  void skip(uint64_t count) {
    if (count > left()) return fail();
    at_ += count;
  }
  /// What follows ends `count` bytes from here.
  void end_after(uint64_t count) {
    if (count > left()) return fail();
    bytes_ = bytes_.first(at_ + count);
  }

  /// Of `size` bytes, 8 at most.
  uint64_t take_number(size_t size);
  /// LEB128 without a sign; bits past the 64th are not kept.
  uint64_t take_uleb();
  std::string_view take_string();

 private:
  std::span<const std::byte> bytes_;
  std::endian order_;
  uint64_t at_ = 0;
  bool good_ = true;
};

/// What the forms of a unit depend on.
struct DwarfUnit {
  uint64_t version = 0;
  uint64_t address_size = 8;    ///< bytes
  size_t offset_size = 4;       ///< bytes
  uint64_t string_offsets = 0;  ///< where those of the unit begin

  /// The length that a unit begins with: bytes after it.
  uint64_t take_length(DwarfCursor& cursor);
};

/// A number or a text; of values that are neither, nothing.
struct DwarfValue {
  uint64_t number = 0;
  std::string_view text = {};
};

inline constexpr uint64_t DW_FORM_implicit_const = 0x21;

/// The sections of an object. Its offsets from one into another need no relocation where the
/// addends are in place: sections begin at 0 in an object.
class DwarfValues {
 public:
  explicit DwarfValues(const ObjectFile& object);

  DwarfCursor info(uint64_t at) const { return {info_, at, order_}; }
  DwarfCursor abbreviations(uint64_t at) const { return {abbreviations_, at, order_}; }
  DwarfCursor lines(uint64_t at) const { return {lines_, at, order_}; }

  /// `constant` is that of DW_FORM_implicit_const. A form that is not known fails the cursor: how
  /// long its value is is not known either.
  DwarfValue take(DwarfCursor& cursor, uint64_t form, uint64_t constant, const DwarfUnit& unit);

  /// Counts bytes that were read or are to be kept; false once that is more than any compiler
  /// writes: few bytes of an input can ask for many.
  bool spend(uint64_t bytes) {
    budget_ -= std::min(bytes, budget_);
    return budget_ != 0;
  }

 private:
  using Bytes = std::span<const std::byte>;

  std::string_view string_at(Bytes bytes, uint64_t offset);
  std::string_view indexed_string(uint64_t index, const DwarfUnit& unit);

  std::endian order_;
  Bytes info_, abbreviations_, lines_, strings_, line_strings_, string_offsets_;
  uint64_t budget_ = uint64_t{1} << 26;
};

}  // namespace bpflink
