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

/// Reads forward from a place. After an error, all further values are 0 or empty.
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
  /// Ends the data `count` bytes from here.
  void end_after(uint64_t count) {
    if (count > left()) return fail();
    bytes_ = bytes_.first(at_ + count);
  }

  /// A number of `size` bytes, at most 8.
  uint64_t take_number(size_t size);
  /// Unsigned LEB128; bits past the 64th are discarded.
  uint64_t take_uleb();
  std::string_view take_string();

 private:
  std::span<const std::byte> bytes_;
  std::endian order_;
  uint64_t at_ = 0;
  bool good_ = true;
};

/// The properties of a unit that determine how forms are read.
struct DwarfUnit {
  uint64_t version = 0;
  uint64_t address_size = 8;    ///< bytes
  size_t offset_size = 4;       ///< bytes
  uint64_t string_offsets = 0;  ///< where the unit's string offsets begin

  /// Reads the unit's length: the bytes after this field.
  uint64_t take_length(DwarfCursor& cursor);
};

/// A number or a text; neither for values of other kinds.
struct DwarfValue {
  uint64_t number = 0;
  std::string_view text = {};
};

inline constexpr uint64_t DW_FORM_implicit_const = 0x21;

/// The DWARF sections of an object. Sections begin at 0 in an object, so offsets from one into
/// another need no relocation, if the addends are in place.
class DwarfValues {
 public:
  explicit DwarfValues(const ObjectFile& object);

  DwarfCursor info(uint64_t at) const { return {info_, at, order_}; }
  DwarfCursor abbreviations(uint64_t at) const { return {abbreviations_, at, order_}; }
  DwarfCursor lines(uint64_t at) const { return {lines_, at, order_}; }

  /// Reads a value. `constant` is the one of DW_FORM_implicit_const. An unknown form fails the
  /// cursor, because its length is unknown.
  DwarfValue read(DwarfCursor& cursor, uint64_t form, uint64_t constant, const DwarfUnit& unit);

  /// Counts bytes that are read or kept. False once the sum exceeds what any compiler writes: a
  /// small input can ask for a lot of work.
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
