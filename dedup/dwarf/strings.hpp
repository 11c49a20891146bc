// The strings of all units, as one string section of BTF.
#pragma once

#include <cstdint>
#include <expected>
#include <mutex>
#include <string_view>
#include <vector>

#include "dedup/dwarf/abbreviations.hpp"
#include "dedup/dwarf/sections.hpp"
#include "dedup/format/hash.hpp"

namespace bpflink {

/// A string section that begins with an empty string, .debug_str and .debug_line_str. So an offset
/// in these is one of this section after adding a number, and no string is copied for each unit.
/// Strings from other places and files follow. Workers may add strings at the same time; text() is
/// for when all are done.
class DwarfStringPool {
 public:
  explicit DwarfStringPool(const DwarfSections& sections);

  /// The offset of the string at an offset of .debug_str; 0 if it is outside.
  uint32_t at(uint64_t offset) const {
    return offset < from_strings_ ? static_cast<uint32_t>(offset) + 1 : 0;
  }
  /// The same for .debug_line_str.
  uint32_t at_of_lines(uint64_t offset) const {
    return offset < from_line_strings_ ? static_cast<uint32_t>(offset + from_strings_) + 2 : 0;
  }
  /// Whether a text of these sections is in the pool with them.
  bool has(const DwarfSections& sections) const { return sections.strings.data() == from_; }
  /// Adds a string, which may be there already.
  uint32_t add(std::string_view string);
  std::string_view section() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::mutex mutex_;
  const std::byte* from_;                      ///< where .debug_str begins
  uint64_t from_strings_, from_line_strings_;  ///< bytes of these sections
  LargeVector<char> bytes_;
};

/// A text; empty if the value is none, or outside of its section. Of one in a section of strings,
/// at most the first 4096 bytes.
std::string_view dwarf_text(DwarfValue value, const DwarfUnit& unit);

/// What one worker knows of the pool.
class DwarfStrings {
 public:
  explicit DwarfStrings(DwarfStringPool& pool) : pool_(pool) {}

  /// The pool's offset of a text; 0 if the value is not a text or is outside of its section.
  uint32_t offset_of(DwarfValue value, const DwarfUnit& unit);
  /// The pool's offset of any text.
  uint32_t intern(std::string_view text);

 private:
  DwarfStringPool& pool_;
  HashIndex index_;  ///< in `known_`, of texts that are in no section of strings
  std::vector<std::pair<std::string_view, uint32_t>> known_{{}};
};

}  // namespace bpflink
