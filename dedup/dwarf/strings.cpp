#include "dedup/dwarf/strings.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bpflink {
namespace {

/// A text in a section of strings. Any number of entries may have it, and none needs more of a long
/// one than its beginning.
std::string_view text_at(std::span<const std::byte> section, uint64_t offset) {
  constexpr uint64_t longest = 4096;
  if (offset >= section.size()) return {};
  auto rest = section.subspan(offset, std::min(longest, section.size() - offset));
  std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  return text.substr(0, text.find('\0'));
}

/// The offset in .debug_str of a text that is given by an index.
uint64_t offset_at_index(uint64_t index, const DwarfUnit& unit) {
  const DwarfSections& sections = *unit.sections;
  if (index > sections.string_offsets.size()) return UINT64_MAX;
  DwarfCursor cursor(sections.string_offsets, unit.string_offsets, sections.order);
  cursor.skip(index * unit.offset_size);
  uint64_t offset = cursor.take_number(unit.offset_size);
  return cursor.is_good() ? offset : UINT64_MAX;
}

}  // namespace

DwarfStringPool::DwarfStringPool(const DwarfSections& sections)
    : from_(sections.strings.data()),
      from_strings_(sections.strings.size()),
      from_line_strings_(sections.line_strings.size()) {
  if (from_strings_ + from_line_strings_ >= UINT32_MAX) throw std::length_error("strings");
  bytes_.reserve(from_strings_ + from_strings_ / 16 + from_line_strings_ + 3);
  bytes_.push_back('\0');
  for (auto section : {sections.strings, sections.line_strings}) {
    const char* text = reinterpret_cast<const char*>(section.data());
    bytes_.insert(bytes_.end(), text, text + section.size());
    bytes_.push_back('\0');
  }
}

uint32_t DwarfStringPool::add(std::string_view string) {
  std::lock_guard lock(mutex_);
  if (string.size() >= UINT32_MAX - bytes_.size()) throw std::length_error("strings");
  auto offset = static_cast<uint32_t>(bytes_.size());
  bytes_.insert(bytes_.end(), string.begin(), string.end());
  bytes_.push_back('\0');
  return offset;
}

uint32_t DwarfStrings::offset_of(DwarfValue value, const DwarfUnit& unit) {
  if (pool_.has(*unit.sections)) {
    if (value.as == DwarfStored::TextAtOffset) return pool_.at(value.number);
    if (value.as == DwarfStored::TextAtIndex) return pool_.at(offset_at_index(value.number, unit));
    if (value.as == DwarfStored::LineTextAtOffset) return pool_.at_of_lines(value.number);
  }
  return intern(dwarf_text(value, unit));
}

uint32_t DwarfStrings::intern(std::string_view text) {
  if (text.empty()) return 0;
  uint32_t hash = hash_bytes(text.data(), text.size());
  uint32_t found = index_.find(hash, [&](uint32_t i) { return known_[i].first == text; });
  if (found != 0) return known_[found].second;
  uint32_t offset = pool_.add(text);
  index_.insert(hash, static_cast<uint32_t>(known_.size()));
  known_.emplace_back(text, offset);
  return offset;
}

std::string_view dwarf_text(DwarfValue value, const DwarfUnit& unit) {
  const DwarfSections& sections = *unit.sections;
  switch (value.as) {
    case DwarfStored::Text:
      return DwarfCursor(sections.info, value.number, sections.order).take_string();
    case DwarfStored::TextAtOffset:
      return text_at(sections.strings, value.number);
    case DwarfStored::LineTextAtOffset:
      return text_at(sections.line_strings, value.number);
    case DwarfStored::TextAtIndex:
      return text_at(sections.strings, offset_at_index(value.number, unit));
    case DwarfStored::OtherTextAtOffset:
      if (sections.supplementary) return text_at(sections.supplementary->strings, value.number);
      [[fallthrough]];
    default:
      return {};
  }
}

}  // namespace bpflink
