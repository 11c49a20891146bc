// Makes BTF of the entries of one unit.
//
// DWARF is a tree of entries, and BTF a list of types. They say nearly the same, so the tree is
// walked once, without being built: the words of a type are written when its entry ends, because
// its members are known then, and before those of the type around it. References are written as the
// offsets of entries in the unit, which may come later, and replaced by ids in the end.
//
// The encoding is pahole's, which kernels and their modules are built with: types of a module are
// only found in a kernel's if both say the same of the same declaration.
//
//   - `_Atomic T` is T. A type that a language leaves open (DW_TAG_unspecified_type) is void.
//   - An integer of an odd size, which only describes locations, gets a name that says so.
#include "dedup/dwarf/unit_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <ranges>
#include <tuple>
#include <utility>

#include "dedup/dwarf/constants.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"
#include "dedup/try.hpp"

namespace bpflink {
namespace {

/// In UnitTypes::ids_: the entry is void, or the rest is an index of `aliases_`.
constexpr uint32_t void_mark = UINT32_MAX, alias_bit = 0x80000000;

constexpr uint32_t int_bytes = 4;

bool is_record(uint16_t tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/// Whether an entry has no types below it: what was inlined has its types in the original.
bool is_without_types(uint16_t tag) {
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

/// Whether a language is C, or assembly, whose functions have no parameters.
bool is_c(uint64_t language) {
  // DWARF 5, table 7.17, and languages that were registered since.
  constexpr uint64_t languages[] = {0, 0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e, 0x8001};
  return std::ranges::find(languages, language) != std::end(languages);
}

}  // namespace

std::expected<bool, Error> UnitTypes::read(const DwarfUnit& unit) {
  const uint64_t origin = unit.sections->origin;
  TRY(begin(origin + unit.begin, origin + unit.end));
  TRY(add(unit));
  return !has_foreign_reference_ && finish();
}

std::expected<bool, Error> UnitTypes::read_joined(std::span<const DwarfUnit> units) {
  TRY(begin(0, files_.back().origin + files_.back().info.size()));
  for (const DwarfUnit& unit : units)
    if (unit.is_type_unit())
      type_units_.emplace(unit.signature, unit.sections->origin + unit.begin + unit.type_entry);
  const std::vector<bool> is_imported = TRY(find_imported(units));
  for (size_t i = 0; i < units.size(); ++i)
    if (!units[i].sections->is_supplementary || is_imported[i]) TRY(add(units[i]));
  if (has_foreign_reference_) return fail("DWARF refers to entries that are not in it");
  return finish();
}

/// Which of the units are imported. A supplementary file has units for several programs. dwz writes
/// what a unit imports as its first entries.
std::expected<std::vector<bool>, Error> UnitTypes::find_imported(std::span<const DwarfUnit> units) {
  std::vector<bool> is_imported(units.size());
  if (!files_.front().supplementary) return is_imported;
  std::vector<size_t> pending;
  for (size_t i = 0; i < units.size(); ++i)
    if (!units[i].sections->is_supplementary) pending.push_back(i);
  auto place_of = [](const DwarfUnit& unit) { return unit.sections->origin + unit.begin; };
  for (size_t next = 0; next < pending.size(); ++next) {
    unit_ = units[pending[next]];
    TRY(read_abbreviations(unit_));
    DwarfCursor cursor = unit_.cursor(unit_.entries);
    for (bool is_root = true;; is_root = false) {
      const DwarfAbbreviation* abbreviation =
          take_dwarf_entry(cursor, abbreviations_, unit_, entry_);
      if (!abbreviation || (!is_root && abbreviation->tag != DW_TAG_imported_unit)) break;
      uint64_t place = reference(DwarfSlot::Import);
      if (is_root || place == 0) continue;
      auto unit = std::ranges::upper_bound(units, place, {}, place_of) - units.begin() - 1;
      if (is_imported[unit]) continue;
      is_imported[unit] = true;
      if (units[unit].sections->is_supplementary) pending.push_back(unit);
    }
  }
  return is_imported;
}

/// Begins with the entries between two offsets of the section.
std::expected<void, Error> UnitTypes::begin(uint64_t first, uint64_t end) {
  words_.clear();
  starts_.assign(1, 0);
  references_.clear();
  arrays_.clear();
  aliases_.clear();
  wide_enums_.clear();
  functions_.clear();
  parameters_.clear();
  variables_.clear();
  written_functions_.clear();
  tags_.clear();
  objects_.clear();
  units_.clear();
  type_units_.clear();
  parts_.clear();
  int_id_ = 0;
  has_foreign_reference_ = false;
  for (uint32_t entry : with_ids_) ids_[entry] = 0;
  with_ids_.clear();
  first_ = first;
  end_ = end;
  if (end - first > UINT32_MAX)
    return fail("{}+{:#x}: {} bytes of entries that refer to each other are too many",
                files_.front().place, first, end - first);
  if (ids_.size() < end - first) ids_.resize(end - first);
  return {};
}

/// Reads the abbreviations of a unit, unless they are the last one's. A small file could have any
/// number of units with one large table each.
std::expected<void, Error> UnitTypes::read_abbreviations(const DwarfUnit& unit) {
  auto key = [](const DwarfUnit& of) {
    return std::tuple(of.sections, of.abbreviations, of.version, of.address_size, of.offset_size);
  };
  if (key(unit) == key(of_abbreviations_)) return {};
  of_abbreviations_ = unit;
  const DwarfSections& sections = *unit.sections;
  if (!abbreviations_.read(unit.abbreviation_cursor(), unit))
    return fail("{}+{:#x}: abbreviations at {:#x} are cut off, or have unknown forms",
                sections.place, unit.begin, unit.abbreviations);
  constexpr uint64_t always = 1 << 20, max_ratio = 16;
  abbreviation_bytes_ += abbreviations_.size();
  if (abbreviation_bytes_ > always + max_ratio * files_bytes_)
    return fail("{}+{:#x}: units share abbreviations in more ways than any compiler writes",
                sections.place, unit.begin);
  return {};
}

/// Reads the entries of a unit.
std::expected<void, Error> UnitTypes::add(const DwarfUnit& unit) {
  unit_ = unit;
  TRY(read_abbreviations(unit));
  DwarfCursor cursor = unit.cursor(unit.entries);
  const DwarfAbbreviation* abbreviation = take_dwarf_entry(cursor, abbreviations_, unit_, entry_);
  if (abbreviation == nullptr) return {};
  if (unit.sections->is_split) {
    if (!begin_split_unit()) return {};
  } else {
    unit_.string_offsets = entry_.number(DwarfSlot::StringOffsetsBase);
    unit_.addresses = entry_.number(DwarfSlot::AddressBase);
    unit_.location_lists = entry_.number(DwarfSlot::LocationListsBase);
  }
  uint64_t language = entry_.number(DwarfSlot::Language);
  if (std::ranges::find(wanted_.excluded_languages, language) != wanted_.excluded_languages.end())
    return {};
  if (!is_c(language)) {
    ++omissions_.units_of_other_languages;
    return {};
  }
  if (entry_.has(DwarfSlot::DwoName) && !unit.sections->is_split) {
    uint64_t id = unit.version >= 5 ? unit.signature : entry_.number(DwarfSlot::DwoId);
    found_skeletons_.push_back({unit.sections->origin + unit.begin, id, unit_.addresses,
                                dwarf_text(entry_[DwarfSlot::Directory], unit_),
                                dwarf_text(entry_[DwarfSlot::DwoName], unit_)});
    return {};
  }
  units_.push_back({unit_, dwarf_text(entry_[DwarfSlot::Producer], unit_).find("clang") !=
                               std::string_view::npos});
  return abbreviation->has_children ? read_entries(cursor) : std::expected<void, Error>();
}

/// Completes what is known of a unit of a .dwo file. Whether it is wanted: a package may be for
/// more programs.
bool UnitTypes::begin_split_unit() {
  if (unit_.version >= 5) {  // after the headers of these tables
    unit_.string_offsets += 2 * unit_.offset_size;
    unit_.location_lists += 2 * unit_.offset_size + 4;
  }
  if (unit_.is_type_unit()) return true;
  uint64_t id = unit_.version >= 5 ? unit_.signature : entry_.number(DwarfSlot::DwoId);
  auto skeleton = skeletons_.find(id);
  if (skeleton == skeletons_.end()) return false;
  found_ids_.push_back(id);
  unit_.addresses = skeleton->second.addresses;
  return true;
}

/// Completes the types when all entries are read. Whether there are some.
bool UnitTypes::finish() {
  if (words_.empty() && functions_.empty()) return false;
  add_index_type();
  resolve_references();
  write_variables();
  write_functions();
  write_tags();
  return true;
}

std::expected<void, Error> UnitTypes::read_entries(DwarfCursor& cursor) {
  const std::string& section = unit_.sections->place;
  const uint64_t to_entry = unit_.sections->origin - first_;
  open_.assign(1, {.tag = DW_TAG_compile_unit});
  while (!open_.empty()) {
    uint64_t at = cursor.at();
    uint64_t code = cursor.take_uleb();
    if (code == 0) {
      if (!cursor.is_good())
        return fail("{}+{:#x}: the unit ends within its entries", section, unit_.begin);
      OpenEntry open = open_.back();
      open_.pop_back();
      end_entry(open);
      continue;
    }
    const DwarfAbbreviation* abbreviation = abbreviations_.find(code);
    if (abbreviation == nullptr)
      return fail("{}+{:#x}: abbreviation {} of the entry is not defined", section, at, code);
    entry_.take(cursor, abbreviations_.steps(*abbreviation), unit_);
    if (!cursor.is_good()) return fail("{}+{:#x}: the entry is cut off", section, at);
    uint64_t sibling = entry_.number(DwarfSlot::Sibling) + unit_.begin;
    if (abbreviation->has_children && is_without_types(abbreviation->tag) &&
        sibling > cursor.at() && entry_[DwarfSlot::Sibling].as == DwarfStored::UnitEntry) {
      cursor.skip(sibling - cursor.at());
      continue;
    }
    begin_entry(abbreviation->tag, static_cast<uint32_t>(to_entry + at),
                abbreviation->has_children);
    if (parts_.size() > max_parts)
      return fail("{}+{:#x}: a type has more than {} members", section, at, max_parts);
  }
  return {};
}

/// The entry that an attribute refers to; 0 for none.
uint32_t UnitTypes::reference(DwarfSlot slot) {
  if (!entry_.has(slot)) return 0;
  DwarfValue value = entry_[slot];
  const DwarfSections& sections = *unit_.sections;
  uint64_t at = UINT64_MAX;
  if (value.as == DwarfStored::UnitEntry && value.number < unit_.end - unit_.begin)
    at = sections.origin + unit_.begin + value.number;
  if (value.as == DwarfStored::AnyEntry && value.number < sections.info.size())
    at = sections.origin + value.number;
  if (const DwarfSections* other = sections.supplementary;
      value.as == DwarfStored::OtherEntry && other && value.number < other->info.size())
    at = other->origin + value.number;
  if (value.as == DwarfStored::Signature)
    if (auto found = type_units_.find(value.number); found != type_units_.end()) at = found->second;
  if (at >= first_ && at < end_) return static_cast<uint32_t>(at - first_);
  has_foreign_reference_ = true;
  return 0;
}

/// A text in the pool.
uint32_t UnitTypes::text_of(DwarfSlot slot) {
  DwarfValue value = entry_[slot];
  if (value.as == DwarfStored::OtherTextAtOffset && !unit_.sections->supplementary)
    has_foreign_reference_ = true;
  return strings_.offset_of(value, unit_);
}

/// A number; 0 if the value is an expression, as the length of an array may be.
uint64_t UnitTypes::constant(DwarfSlot slot) const {
  DwarfValue value = entry_[slot];
  bool is_number = value.as == DwarfStored::Number || value.as == DwarfStored::Signed ||
                   value.as == DwarfStored::Constant || value.as == DwarfStored::True;
  return is_number ? value.number : 0;
}

void UnitTypes::begin_entry(uint16_t tag, uint32_t at, bool has_children) {
  OpenEntry& parent = open_.back();
  OpenEntry open{.tag = tag, .entry = at, .first_part = static_cast<uint32_t>(parts_.size())};
  switch (tag) {
    case DW_TAG_member:
      if (is_record(parent.tag)) add_member(parent.tag == DW_TAG_union_type);
      break;
    case DW_TAG_enumerator:
      if (parent.tag == DW_TAG_enumeration_type) add_enumerator();
      break;
    case DW_TAG_subrange_type:
      if (parent.tag == DW_TAG_array_type)
        parts_.push_back({.low = static_cast<uint32_t>(entry_.has(DwarfSlot::UpperBound)
                                                           ? constant(DwarfSlot::UpperBound) + 1
                                                           : constant(DwarfSlot::Count))});
      break;
    case DW_TAG_formal_parameter:
      if (parent.tag == DW_TAG_subroutine_type)
        parts_.push_back({0, reference(DwarfSlot::Type), 0, 0});
      else if (parent.tag == DW_TAG_subprogram)
        add_parameter(parent, at);
      break;
    case DW_TAG_unspecified_parameters:
      if (parent.tag == DW_TAG_subroutine_type) parts_.push_back({});
      if (parent.tag == DW_TAG_subprogram && parent.function != no_function)
        functions_[parent.function].has_unspecified = true;
      break;
    case DW_TAG_subprogram:
      begin_function(open);
      break;
    case DW_TAG_variable:
      if (open_.size() == 1) add_variable(at);
      break;
    case DW_TAG_imported_unit:
      reference(DwarfSlot::Import);  // notes whether that is elsewhere
      break;
    case DW_TAG_LLVM_annotation:
      add_annotation();
      break;
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_typedef:
      open.name = text_of(DwarfSlot::Name);
      open.size = static_cast<uint32_t>(constant(DwarfSlot::ByteSize));
      open.is_declaration = constant(DwarfSlot::Declaration) != 0;
      if (tag == DW_TAG_base_type) {
        open.encoding = constant(DwarfSlot::Encoding);
        open.is_int = dwarf_text(entry_[DwarfSlot::Name], unit_) == "int";
      }
      [[fallthrough]];
    default:
      open.type = reference(DwarfSlot::Type);
      break;
  }
  if (entry_.has(DwarfSlot::Annotation) && tag != DW_TAG_GNU_annotation) add_annotations(open);
  if (has_children)
    open_.push_back(open);
  else
    end_entry(open);
}

void UnitTypes::end_entry(const OpenEntry& open) {
  switch (open.tag) {
    case DW_TAG_base_type:
      write_base_type(open);
      break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      write_record(open);
      break;
    case DW_TAG_enumeration_type:
      write_enum(open);
      break;
    case DW_TAG_array_type:
      write_array(open);
      break;
    case DW_TAG_subroutine_type:
      write_prototype(open);
      break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
      write_pointer(open);
      break;
    case DW_TAG_typedef:
      write_reference(BtfKind::Typedef, open.name, open);
      break;
    case DW_TAG_const_type:
      write_reference(BtfKind::Const, 0, open);
      break;
    case DW_TAG_volatile_type:
      write_reference(BtfKind::Volatile, 0, open);
      break;
    case DW_TAG_restrict_type:
      write_reference(BtfKind::Restrict, 0, open);
      break;
    case DW_TAG_atomic_type:
      ids_[open.entry] = alias_bit | static_cast<uint32_t>(aliases_.size());
      with_ids_.push_back(open.entry);
      aliases_.emplace_back(open.entry, open.type);
      break;
    case DW_TAG_unspecified_type:
      become_void(open.entry);
      break;
    default:
      return;  // leaves parts to the entry around it
  }
  parts_.resize(open.first_part);
}

/// A member. Before version 4, a bit-field was given by its place in an integer, from the most
/// significant bit on.
void UnitTypes::add_member(bool is_in_union) {
  using enum DwarfSlot;
  bool has_place = entry_.has(DataBitOffset) || entry_.has(MemberLocation);
  if (!has_place && !is_in_union) return;  // static, of C++
  auto bits = static_cast<uint32_t>(constant(BitSize));
  uint64_t offset =
      entry_.has(DataBitOffset) ? constant(DataBitOffset) : 8 * constant(MemberLocation);
  if (entry_.has(BitOffset) && bits != 0)
    offset += unit_.sections->order == std::endian::little
                  ? 8 * constant(ByteSize) - constant(BitOffset) - bits
                  : constant(BitOffset);
  parts_.push_back(
      {text_of(DwarfSlot::Name), reference(Type), static_cast<uint32_t>(offset), bits});
}

void UnitTypes::add_enumerator() {
  uint64_t value = constant(DwarfSlot::ConstValue);
  parts_.push_back({text_of(DwarfSlot::Name), 0, static_cast<uint32_t>(value),
                    static_cast<uint32_t>(value >> 32)});
}

/// A tag of clang: a type tag is a child of the pointer to the tagged type, a tag on a declaration
/// one of what it is on.
void UnitTypes::add_annotation() {
  const OpenEntry& parent = open_.back();
  std::string_view kind = dwarf_text(entry_[DwarfSlot::Name], unit_);
  if (kind == "btf_type_tag" && parent.tag == DW_TAG_pointer_type && wanted_.kinds.type_tags)
    parts_.push_back({text_of(DwarfSlot::ConstValue), 0, 0, 0});
  if (kind != "btf_decl_tag" || !wanted_.kinds.declaration_tags || open_.size() < 2) return;
  const OpenEntry& around = open_[open_.size() - 2];
  if (parent.tag == DW_TAG_member && is_record(around.tag) && parts_.size() > around.first_part)
    add_tag(around, static_cast<uint32_t>(parts_.size() - around.first_part - 1));
  else if (parent.tag == DW_TAG_formal_parameter && around.function != no_function)
    add_tag(around, functions_[around.function].parameters - 1);
  else if (is_record(parent.tag) || parent.tag == DW_TAG_typedef ||
           parent.function != no_function || (parent.tag == DW_TAG_variable && open_.size() == 2))
    add_tag(parent, Tag::whole);
}

/// Tags of gcc: an attribute of what they are on refers to the last one, which refers to the one
/// before. Adds them as if they were its children, as those of clang are.
void UnitTypes::add_annotations(const OpenEntry& open) {
  open_.push_back(open);
  std::vector<uint32_t> tags;
  for (uint32_t at = reference(DwarfSlot::Annotation);
       tags.size() < max_chain && take_annotation(at); at = reference(DwarfSlot::Annotation))
    tags.push_back(at);
  for (uint32_t at : tags | std::views::reverse)
    if (take_annotation(at)) add_annotation();
  open_.pop_back();
}

/// Whether there is a tag of gcc at this place of the unit.
bool UnitTypes::take_annotation(uint32_t at) {
  const uint64_t place = first_ + at - unit_.sections->origin;
  if (place < unit_.entries || place >= unit_.end) return false;
  DwarfCursor cursor = unit_.cursor(place);
  const DwarfAbbreviation* abbreviation = take_dwarf_entry(cursor, abbreviations_, unit_, entry_);
  return abbreviation && abbreviation->tag == DW_TAG_GNU_annotation && cursor.is_good();
}

void UnitTypes::add_tag(const OpenEntry& of, uint32_t part) {
  bool is_on_object = of.tag == DW_TAG_subprogram || of.tag == DW_TAG_variable;
  tags_.push_back({text_of(DwarfSlot::ConstValue), of.entry, part, is_on_object});
}

/// Writes tags on declarations, when all that they may be on is written.
void UnitTypes::write_tags() {
  for (const Tag& tag : tags_) {
    auto object = objects_.find(tag.entry);
    uint32_t id =
        tag.is_on_object ? object == objects_.end() ? 0 : object->second : resolve(tag.entry);
    // Kernels accept no tag without a text, and none on a declared struct.
    if (id == 0 || tag.text == 0 || kind_of(&words_[starts_[id - 1]]) == BtfKind::Fwd) continue;
    words_.insert(words_.end(), {tag.text, BtfBuilder::info(BtfKind::DeclTag), id, tag.part});
    end_type();
  }
}

void UnitTypes::write_base_type(const OpenEntry& open) {
  uint64_t encoding = open.encoding;
  constexpr uint32_t float_sizes[] = {2, 4, 8, 12, 16}, largest_int = 16;
  constexpr uint64_t complex_float = 3, imaginary_float = 9;
  bool is_float = encoding == DW_ATE_float;
  if (encoding == complex_float || encoding == imaginary_float ||
      (is_float && std::ranges::find(float_sizes, open.size) == std::end(float_sizes))) {
    ++omissions_.unsupported_types;
    return become_void(open.entry);
  }
  if (is_float && wanted_.kinds.floats) {
    begin_type(open, open.name, BtfBuilder::info(BtfKind::Float), open.size);
    return end_type();
  }
  bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  bool is_odd = !std::has_single_bit(open.size) || open.size > largest_int;
  uint32_t size = is_odd ? int_bytes : open.size;
  uint32_t name = is_odd ? strings_.intern("__SANITIZED_FAKE_INT__") : open.name;
  uint32_t flags = is_signed ? btf_int_signed : encoding == DW_ATE_boolean ? btf_int_bool : 0;
  uint32_t id = begin_type(open, name, BtfBuilder::info(BtfKind::Int), size);
  words_.push_back(flags << 24 | 8 * size);
  end_type();
  if (open.is_int && int_id_ == 0) int_id_ = id;
}

/// A struct or union. With a bit-field, all members have the form for bit-fields.
void UnitTypes::write_record(const OpenEntry& open) {
  bool is_union = open.tag == DW_TAG_union_type;
  if (open.is_declaration) {
    begin_type(open, open.name, BtfBuilder::info(BtfKind::Fwd, 0, is_union), 0);
    return end_type();
  }
  std::span<const Part> parts = std::span(parts_).subspan(open.first_part);
  bool has_bit_fields = std::ranges::any_of(parts, [](const Part& part) { return part.high != 0; });
  auto count = static_cast<uint32_t>(parts.size());
  begin_type(open, open.name,
             BtfBuilder::info(is_union ? BtfKind::Union : BtfKind::Struct, count, has_bit_fields),
             open.size);
  size_t word = words_.size();
  words_.resize(word + 3 * parts.size());
  for (const Part& part : parts) {
    words_[word] = part.name;
    words_[word + 1] = part.type;
    words_[word + 2] = has_bit_fields ? part.high << 24 | part.low : part.low;
    references_.push_back(static_cast<uint32_t>(word + 1));
    word += 3;
  }
  end_type();
}

void UnitTypes::write_enum(const OpenEntry& open) {
  std::span<const Part> parts = std::span(parts_).subspan(open.first_part);
  auto count = static_cast<uint32_t>(parts.size());
  uint32_t size = open.size == 0 ? int_bytes : open.size;
  bool is_wide = size > int_bytes && wanted_.kinds.wide_enums;
  auto is_negative = [](const Part& part) { return static_cast<int32_t>(part.high) < 0; };
  // Who does not read wide ones does not read signed ones.
  bool is_signed = !is_wide && wanted_.kinds.wide_enums && std::ranges::any_of(parts, is_negative);
  if (is_wide && open.type != 0) wide_enums_.emplace_back(words_.size() + 1, open.type);
  begin_type(open, open.name,
             BtfBuilder::info(is_wide ? BtfKind::Enum64 : BtfKind::Enum, count, is_signed), size);
  for (const Part& part : parts) {
    words_.push_back(part.name);
    words_.push_back(part.low);
    if (is_wide) words_.push_back(part.high);
  }
  end_type();
}

/// An array, with one type for each dimension, the last one first.
void UnitTypes::write_array(const OpenEntry& open) {
  if (parts_.size() == open.first_part) parts_.push_back({.low = 1});
  if (!wanted_.kinds.nested_arrays)
    for (; parts_.size() - open.first_part > 1; parts_.pop_back()) {
      uint64_t elements = uint64_t{parts_[open.first_part].low} * parts_.back().low;
      if (elements > UINT32_MAX) break;
      parts_[open.first_part].low = static_cast<uint32_t>(elements);
    }
  uint32_t elements = 0;
  for (size_t i = parts_.size(); i > open.first_part; --i) {
    uint32_t id = begin_type(open, 0, BtfBuilder::info(BtfKind::Array), 0);
    if (elements == 0)
      refer(open.type);
    else
      words_.push_back(elements);
    arrays_.push_back(static_cast<uint32_t>(words_.size()));
    words_.push_back(0);
    words_.push_back(parts_[i - 1].low);
    elements = id;
    end_type();
  }
}

void UnitTypes::write_prototype(const OpenEntry& open) {
  std::span<const Part> parts = std::span(parts_).subspan(open.first_part);
  begin_reference(open, 0,
                  BtfBuilder::info(BtfKind::FuncProto, static_cast<uint32_t>(parts.size())));
  for (const Part& part : parts) {
    words_.push_back(part.name);
    refer(part.type);
  }
  end_type();
}

/// A pointer, to the last of its tags if it has some. Each tag is on the one before, and the first
/// on what is pointed to.
void UnitTypes::write_pointer(const OpenEntry& open) {
  uint32_t tagged = 0;
  for (const Part& tag : std::span(parts_).subspan(open.first_part)) {
    uint32_t info = BtfBuilder::info(BtfKind::TypeTag);
    tagged = tagged == 0 ? begin_reference(open, tag.name, info)
                         : begin_type(open, tag.name, info, tagged);
    end_type();
  }
  uint32_t info = BtfBuilder::info(BtfKind::Ptr);
  if (tagged == 0)
    begin_reference(open, 0, info);
  else
    begin_type(open, 0, info, tagged);
  end_type();
}

void UnitTypes::write_reference(BtfKind kind, uint32_t name, const OpenEntry& open) {
  begin_reference(open, name, BtfBuilder::info(kind));
  end_type();
}

uint32_t UnitTypes::begin_type(const OpenEntry& open, uint32_t name, uint32_t info,
                               uint32_t third) {
  words_.insert(words_.end(), {name, info, third});
  auto id = static_cast<uint32_t>(starts_.size());
  if (ids_[open.entry] == 0) with_ids_.push_back(open.entry);
  ids_[open.entry] = id;
  return id;
}

/// Begins a type whose third word is the type of its entry.
uint32_t UnitTypes::begin_reference(const OpenEntry& open, uint32_t name, uint32_t info) {
  uint32_t id = begin_type(open, name, info, open.type);
  references_.push_back(static_cast<uint32_t>(words_.size() - 1));
  return id;
}

void UnitTypes::end_type() {
  starts_.push_back(static_cast<uint32_t>(words_.size()));
}

/// Writes a word for the type of an entry.
void UnitTypes::refer(uint32_t to) {
  references_.push_back(static_cast<uint32_t>(words_.size()));
  words_.push_back(to);
}

void UnitTypes::become_void(uint32_t entry) {
  ids_[entry] = void_mark;
  with_ids_.push_back(entry);
}

/// DWARF has no type of indices. Like pahole, take `int`, whether the unit has it or not.
void UnitTypes::add_index_type() {
  if (arrays_.empty()) return;
  if (int_id_ == 0) {
    int_id_ = static_cast<uint32_t>(starts_.size());
    words_.insert(words_.end(), {strings_.intern("int"), BtfBuilder::info(BtfKind::Int), int_bytes,
                                 btf_int_signed << 24 | 8 * int_bytes});
    end_type();
  }
  for (uint32_t word : arrays_) words_[word] = int_id_;
}

/// Replaces entries by ids.
void UnitTypes::resolve_references() {
  for (uint32_t word : references_) {
    uint32_t entry = words_[word], id = ids_[entry];
    if (id - 1 >= alias_bit - 1 && entry != 0) id = resolve(entry);
    words_[word] = id;
  }
  for (auto [word, entry] : wide_enums_) {
    uint32_t id = resolve(entry);
    const uint32_t* type = &words_[starts_[id == 0 ? 0 : id - 1]];
    bool is_signed =
        id != 0 && kind_of(type) == BtfKind::Int && (type[3] >> 24 & btf_int_signed) != 0;
    if (is_signed) words_[word] |= uint32_t{1} << 31;
  }
}

/// The id of the type of an entry; 0 if it is void, or no type of this unit.
uint32_t UnitTypes::resolve(uint32_t entry) {
  for (size_t i = 0; i < max_chain; ++i) {
    uint32_t id = ids_[entry];
    if (id == void_mark || entry == 0) return 0;
    if (id == 0) break;
    if ((id & alias_bit) == 0) return id;
    entry = aliases_[id & ~alias_bit].second;
  }
  ++omissions_.unresolved_references;
  return 0;
}

}  // namespace bpflink
