#include "dedup/dwarf/abbreviations.hpp"

#include <algorithm>
#include <array>

#include "dedup/dwarf/constants.hpp"

namespace bpflink {
namespace {

/// By attribute.
constexpr auto slots = [] {
  std::array<DwarfSlot, DW_AT_GNU_annotation + 1> table{};
  auto set = [&](DwarfAttribute attribute, DwarfSlot slot) { table[attribute] = slot; };
  set(DW_AT_sibling, DwarfSlot::Sibling);
  set(DW_AT_location, DwarfSlot::Location);
  set(DW_AT_name, DwarfSlot::Name);
  set(DW_AT_byte_size, DwarfSlot::ByteSize);
  set(DW_AT_bit_offset, DwarfSlot::BitOffset);
  set(DW_AT_bit_size, DwarfSlot::BitSize);
  set(DW_AT_stmt_list, DwarfSlot::StatementList);
  set(DW_AT_low_pc, DwarfSlot::LowPc);
  set(DW_AT_language, DwarfSlot::Language);
  set(DW_AT_comp_dir, DwarfSlot::Directory);
  set(DW_AT_const_value, DwarfSlot::ConstValue);
  set(DW_AT_inline, DwarfSlot::Inline);
  set(DW_AT_producer, DwarfSlot::Producer);
  set(DW_AT_upper_bound, DwarfSlot::UpperBound);
  set(DW_AT_abstract_origin, DwarfSlot::AbstractOrigin);
  set(DW_AT_artificial, DwarfSlot::Artificial);
  set(DW_AT_calling_convention, DwarfSlot::CallingConvention);
  set(DW_AT_count, DwarfSlot::Count);
  set(DW_AT_data_member_location, DwarfSlot::MemberLocation);
  set(DW_AT_decl_file, DwarfSlot::DeclFile);
  set(DW_AT_decl_line, DwarfSlot::DeclLine);
  set(DW_AT_declaration, DwarfSlot::Declaration);
  set(DW_AT_encoding, DwarfSlot::Encoding);
  set(DW_AT_external, DwarfSlot::External);
  set(DW_AT_specification, DwarfSlot::Specification);
  set(DW_AT_type, DwarfSlot::Type);
  set(DW_AT_data_bit_offset, DwarfSlot::DataBitOffset);
  set(DW_AT_str_offsets_base, DwarfSlot::StringOffsetsBase);
  set(DW_AT_addr_base, DwarfSlot::AddressBase);
  set(DW_AT_loclists_base, DwarfSlot::LocationListsBase);
  set(DW_AT_import, DwarfSlot::Import);
  set(DW_AT_dwo_name, DwarfSlot::DwoName);
  set(DW_AT_GNU_dwo_name, DwarfSlot::DwoName);
  set(DW_AT_GNU_dwo_id, DwarfSlot::DwoId);
  set(DW_AT_GNU_addr_base, DwarfSlot::AddressBase);
  set(DW_AT_GNU_annotation, DwarfSlot::Annotation);
  return table;
}();

/// The bytes of a form that always has as many, or -1.
int64_t fixed_size(DwarfForm form) {
  using enum DwarfStored;
  if (form.as == True || form.as == Constant) return 0;
  bool varies = form.as == Signed || form.as == Text || form.as == Block || form.as == Indirect ||
                form.size == 0;
  return varies ? -1 : form.size;
}

}  // namespace

void DwarfAbbreviations::add_step(uint64_t name, DwarfForm form, int64_t constant,
                                  size_t first_step, uint64_t& kept) {
  DwarfSlot slot = name < slots.size() ? slots[name] : DwarfSlot::Other;
  // Of several attributes with one name, the first counts. Otherwise, an entry of one byte could
  // take any number of steps.
  const uint64_t bit = uint64_t{1} << static_cast<unsigned>(slot);
  if ((kept & bit) != 0) slot = DwarfSlot::Other;
  kept |= bit;
  int64_t size = slot == DwarfSlot::Other ? fixed_size(form) : -1;
  if (size < 0) {
    steps_.push_back({slot, form, false, constant});
  } else if (steps_.size() > first_step && steps_.back().is_skip) {
    steps_.back().constant += size;
  } else if (size > 0) {
    steps_.push_back({DwarfSlot::Other, {}, true, size});
  }
}

bool DwarfAbbreviations::read(DwarfCursor cursor, const DwarfUnit& unit) {
  dense_.clear();
  sparse_.clear();
  steps_.clear();
  uint64_t from = cursor.at();
  for (uint64_t code = cursor.take_uleb(); code != 0; code = cursor.take_uleb()) {
    DwarfAbbreviation abbreviation;
    abbreviation.tag = static_cast<uint16_t>(std::min<uint64_t>(cursor.take_uleb(), UINT16_MAX));
    abbreviation.has_children = cursor.take_number(1) != 0;
    abbreviation.first_step = static_cast<uint32_t>(steps_.size());
    uint64_t kept = 0;
    while (cursor.is_good()) {
      uint64_t name = cursor.take_uleb(), number = cursor.take_uleb();
      if (name == 0 && number == 0) break;
      int64_t constant = number == DW_FORM_implicit_const ? cursor.take_sleb() : 0;
      DwarfForm form = dwarf_form(number, unit);
      if (form.as == DwarfStored::Unknown) return false;
      add_step(name, form, constant, abbreviation.first_step, kept);
    }
    abbreviation.steps = static_cast<uint32_t>(steps_.size()) - abbreviation.first_step;
    // Of several with one code, the first counts.
    if (code == dense_.size() + 1)
      dense_.push_back(abbreviation);
    else if (code > dense_.size())
      sparse_.try_emplace(code, abbreviation);
  }
  size_ = cursor.at() - from;
  return cursor.is_good();
}

}  // namespace bpflink
