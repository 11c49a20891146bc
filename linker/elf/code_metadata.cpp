#include "linker/elf/code_metadata.hpp"

#include "linker/elf/references.hpp"

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

/// Splits the section wherever a symbol or a relocation points.
void split_at_references(const ObjectFile& object, InputSection& section) {
  std::vector<uint64_t> cuts{0};
  for (const InputSymbol& symbol : object.symbols)
    if (symbol.is_in_section() && symbol.section == section.index) cuts.push_back(symbol.value);
  for (const InputSection& from : object.sections)
    for (const Relocation& relocation : from.relocations) {
      InputPlace target = target_of(object, relocation).place;
      if (target.section == &section) cuts.push_back(static_cast<uint64_t>(target.offset));
    }
  std::ranges::sort(cuts);
  for (size_t i = 0; i < cuts.size() && cuts[i] < section.size; ++i) {
    uint64_t end = i + 1 < cuts.size() ? std::min(cuts[i + 1], section.size) : section.size;
    if (cuts[i] < end) section.fragments.push_back({cuts[i], end});
  }
}

}  // namespace

void split_code_metadata(const ObjectFile& object, InputSection& section) {
  if (section.size == 0 || section.is_nobits()) return;
  section.fragments.clear();
  switch (section.role) {
    case SectionRole::JumpTables:
    case SectionRole::Exceptions:
      split_at_references(object, section);
      break;
    case SectionRole::Frames:
      split_frames(section);
      break;
    default: {
      uint64_t step = section.size % cleanup_size == 0 ? cleanup_size : section.size;
      for (uint64_t at = 0; at < section.size; at += step)
        section.fragments.push_back({at, at + step});
      break;
    }
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
