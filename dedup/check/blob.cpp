// Checks the header and the sections. A kernel is stricter than the reader: it accepts no gaps, and
// no bytes after the sections.
#include <algorithm>
#include <array>
#include <utility>

#include "dedup/check/checks.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

/// The largest blob that BPF_BTF_LOAD accepts.
constexpr size_t max_blob_size = 16 << 20;

bool has_bytes(std::span<const std::byte> bytes) {
  return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
}

void check_header(std::span<const std::byte> blob, const BtfHeaderFields& fields,
                  Findings& findings) {
  // A shorter header has no fields for the strings, which are required.
  if (fields.size < BtfHeader::classic_size || fields.size > blob.size())
    return findings.add(BtfRule::HeaderSize);
  if (has_bytes(blob.first(fields.size)
                    .subspan(std::min<size_t>(fields.size, BtfHeader::size_with_layout))))
    findings.add(BtfRule::HeaderRest);
  if (fields.magic != btf_magic) findings.add(BtfRule::Magic);
  if (fields.version != btf_version) findings.add(BtfRule::Version);
  if (fields.flags != 0) findings.add(BtfRule::Flags);
}

/// Checks that the sections, in order of offsets, follow each other from the header to the end.
/// Only the first fault is reported: it makes later ones uncertain.
void check_sections(const BtfHeaderFields& fields, uint64_t size, Findings& findings) {
  using Section = std::pair<uint32_t, uint32_t>;  // offset and size
  std::array<Section, 3> sections = {Section{fields.types_offset, fields.types_size},
                                     {fields.strings_offset, fields.strings_size},
                                     {fields.layout_offset, fields.layout_size}};
  bool has_layout = fields.layout_size != 0;
  std::span<Section> present = std::span(sections).first(has_layout ? 3 : 2);
  std::ranges::sort(present);
  uint64_t end = 0;
  for (auto [offset, length] : present) {
    if (offset > size) return findings.add(BtfRule::SectionOffset);
    if (offset > end) return findings.add(BtfRule::SectionGap);
    if (offset < end) return findings.add(BtfRule::SectionOverlap);
    if (length > size - end) return findings.add(BtfRule::SectionSize);
    end += length;
  }
  if (end != size) findings.add(BtfRule::SectionGap);
}

/// Returns whether the strings can be read.
bool check_strings(std::span<const std::byte> strings, bool is_split, Findings& findings) {
  if (strings.empty() && is_split) return true;
  bool is_sound = !strings.empty() && strings.back() == std::byte{0};
  bool begins = is_sound && (is_split || strings.front() == std::byte{0});
  if (!begins || strings.size() - 1 > max_string_offset) findings.add(BtfRule::StringsInvalid);
  return is_sound;
}

}  // namespace

bool has_layout_fields(std::span<const std::byte> blob, const BtfHeader& header) {
  auto known = blob.first(std::min(header.size, BtfHeader::size_with_layout));
  return has_bytes(known.subspan(BtfHeader::classic_size));
}

std::optional<BtfHeader> check_blob(std::span<const std::byte> blob, BtfUse use, bool is_split,
                                    Findings& findings) {
  if (use == BtfUse::Program && blob.size() > max_blob_size) findings.add(BtfRule::BlobSize);
  if (blob.size() < BtfHeader::size_field_end) {
    findings.add(BtfRule::HeaderSize);
    return std::nullopt;
  }
  BtfHeaderFields fields = read_header_fields(blob);
  check_header(blob, fields, findings);
  if (fields.size < BtfHeader::classic_size || fields.size > blob.size()) return std::nullopt;
  uint64_t size = blob.size() - fields.size;
  if (size == 0 && !is_split) {
    findings.add(BtfRule::NoData);
    return std::nullopt;
  }
  check_sections(fields, size, findings);
  if (uint64_t{fields.strings_offset} + fields.strings_size != size)
    findings.add(BtfRule::StringsNotLast);
  if (fields.types_offset % sizeof(uint32_t) != 0) findings.add(BtfRule::TypesUnaligned);
  if (fields.types_size == 0 && !is_split) findings.add(BtfRule::NoTypes);

  BtfHeader header = fields.header();
  auto lies_in = [&](size_t offset, size_t length) {
    return offset <= blob.size() && length <= blob.size() - offset;
  };
  if (!lies_in(header.types_offset, header.types_size) ||
      !lies_in(header.strings_offset, header.strings_size) || fields.magic != btf_magic)
    return std::nullopt;
  auto strings = blob.subspan(header.strings_offset, header.strings_size);
  return check_strings(strings, is_split, findings) ? std::optional(header) : std::nullopt;
}

}  // namespace bpflink
