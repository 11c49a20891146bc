#include "linker/files/code_metadata.hpp"

#include "linker/files/references.hpp"

namespace bpflink {
namespace {

constexpr uint64_t cleanup_size = 12;  ///< begin, end, landing pad

/// One record of .eh_frame.
struct FrameRecord {
  uint64_t id;   ///< offset of the field that distinguishes a CIE from an FDE
  uint64_t end;  ///< one past the last byte
};

std::optional<FrameRecord> frame_record_at(const InputSection& section, uint64_t begin) {
  constexpr uint32_t has_long_size = 0xffffffff;
  const std::endian order = section.file->byte_order;
  uint64_t left = section.size - begin;
  if (left < 4) return std::nullopt;
  uint64_t size = load<uint32_t>(&section.data[begin], order), head = 4;
  if (size == has_long_size) {
    if (left < 12) return std::nullopt;
    size = load<uint64_t>(&section.data[begin + 4], order);
    head = 12;
  }
  if (size > left - head || (size != 0 && size < 4)) return std::nullopt;
  return FrameRecord{begin + head, begin + head + size};
}

void split_frames(InputSection& section) {
  for (uint64_t at = 0; at < section.size;) {
    auto record = frame_record_at(section, at);
    uint64_t end = record ? record->end : section.size;
    if (!record) section.fragments.clear();
    section.fragments.push_back({record ? at : 0, end});
    at = end;
  }
}

/// Whether a section is split wherever a symbol or a relocation points.
bool is_split_at_references(const InputSection& section) {
  return section.role == SectionRole::JumpTables || section.role == SectionRole::Exceptions;
}

/// By section: the offsets to split it at, in order.
std::vector<std::vector<uint64_t>> find_cuts(const ObjectFile& object) {
  std::vector<std::vector<uint64_t>> cuts(object.sections.size());
  if (std::ranges::none_of(object.linked_sections(), is_split_at_references)) return cuts;
  auto add = [&](const InputSection& section, uint64_t offset) {
    if (is_split_at_references(section)) cuts[section.index].push_back(offset);
  };
  for (const InputSymbol& symbol : object.symbols)
    if (symbol.is_in_section()) add(object.sections[symbol.section], symbol.value);
  for (const InputSection& from : object.sections)
    for (const Relocation& relocation : from.relocations)
      if (InputPlace target = target_of(object, relocation).place; target.section)
        add(*target.section, static_cast<uint64_t>(target.offset));
  for (std::vector<uint64_t>& offsets : cuts) {
    offsets.push_back(0);
    std::ranges::sort(offsets);
  }
  return cuts;
}

void split_at(InputSection& section, std::span<const uint64_t> cuts) {
  for (size_t i = 0; i < cuts.size() && cuts[i] < section.size; ++i) {
    uint64_t end = i + 1 < cuts.size() ? std::min(cuts[i + 1], section.size) : section.size;
    if (cuts[i] < end) section.fragments.push_back({cuts[i], end});
  }
}

void split_cleanups(InputSection& section) {
  uint64_t step = section.size % cleanup_size == 0 ? cleanup_size : section.size;
  for (uint64_t at = 0; at < section.size; at += step) section.fragments.push_back({at, at + step});
}

}  // namespace

void split_code_metadata(ObjectFile& object) {
  std::vector<std::vector<uint64_t>> cuts = find_cuts(object);
  for (InputSection& section : object.linked_sections()) {
    bool is_empty = section.size == 0 || section.is_nobits();
    if (!section.is_code_metadata() || is_empty || section.same_as) continue;
    section.fragments.clear();
    if (is_split_at_references(section))
      split_at(section, cuts[section.index]);
    else if (section.role == SectionRole::Frames)
      split_frames(section);
    else
      split_cleanups(section);
  }
}

std::optional<CieReference> find_cie(const InputSection& section, const Fragment& fragment) {
  if (section.role != SectionRole::Frames) return std::nullopt;
  auto record = frame_record_at(section, fragment.begin);
  if (!record || record->end != fragment.end || record->id == record->end) return std::nullopt;
  uint32_t distance = load<uint32_t>(&section.data[record->id], section.file->byte_order);
  if (distance == 0 || distance > record->id) return std::nullopt;
  return CieReference{record->id, record->id - distance};
}

}  // namespace bpflink
