#include "dedup/dwarf/strings.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bpflink {
namespace {

std::string_view text_at(std::span<const std::byte> section, uint64_t offset, std::endian order) {
  return DwarfCursor(section, offset, order).take_string();
}

/// The offset in .debug_str of a text that is given by an index.
uint64_t offset_at_index(const DwarfSections& sections, uint64_t index, const DwarfUnit& unit) {
  if (index > sections.string_offsets.size()) return UINT64_MAX;
  DwarfCursor cursor(sections.string_offsets, unit.string_offsets, sections.order);
  cursor.skip(index * unit.offset_size);
  uint64_t offset = cursor.take_number(unit.offset_size);
  return cursor.is_good() ? offset : UINT64_MAX;
}

}  // namespace

DwarfStringPool::DwarfStringPool(const DwarfSections& sections)
    : from_section_(sections.strings.size()) {
  if (from_section_ >= UINT32_MAX) throw std::length_error(".debug_str");
  const char* text = reinterpret_cast<const char*>(sections.strings.data());
  bytes_.reserve(from_section_ + from_section_ / 16 + 2);
  bytes_.push_back('\0');
  bytes_.insert(bytes_.end(), text, text + from_section_);
  bytes_.push_back('\0');
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
  if (value.as == DwarfStored::TextAtOffset) return pool_.at(value.number);
  if (value.as == DwarfStored::TextAtIndex)
    return pool_.at(offset_at_index(sections_, value.number, unit));
  return intern(dwarf_text(sections_, value, unit));
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

std::string_view dwarf_text(const DwarfSections& sections, DwarfValue value,
                            const DwarfUnit& unit) {
  switch (value.as) {
    case DwarfStored::Text:
      return text_at(sections.info, value.number, sections.order);
    case DwarfStored::TextAtOffset:
      return text_at(sections.strings, value.number, sections.order);
    case DwarfStored::LineTextAtOffset:
      return text_at(sections.line_strings, value.number, sections.order);
    case DwarfStored::TextAtIndex:
      return text_at(sections.strings, offset_at_index(sections, value.number, unit),
                     sections.order);
    default:
      return {};
  }
}

}  // namespace bpflink
