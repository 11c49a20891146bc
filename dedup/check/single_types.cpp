// Checks each type alone: names, numbers, and the order of elements.
#include <bit>

#include "dedup/check/checks.hpp"
#include "dedup/check/names.hpp"
#include "dedup/format/kinds.hpp"

namespace bpflink {
namespace {

constexpr uint32_t max_int_bits = 128;  ///< of an INT

bool is_float_size(uint32_t size) {
  return size == 2 || size == 4 || size == 8 || size == 12 || size == 16;
}

/// Kinds whose vlen counts something, or is a linkage.
constexpr KindSet with_vlen = kinds_with([](const KindRow& row) {
  return kind_words(row.kind).element_words != 0 || row.kind == BtfKind::Func;
});
/// Kinds whose kind_flag has a meaning.
constexpr KindSet with_kind_flag{BtfKind::Struct,  BtfKind::Union,   BtfKind::Enum,  BtfKind::Fwd,
                                 BtfKind::DeclTag, BtfKind::TypeTag, BtfKind::Enum64};

class SingleTypeCheck {
 public:
  SingleTypeCheck(const BtfView& types, Findings& findings) : types_(types), findings_(findings) {}

  void check(uint32_t id) {
    id_ = id;
    BtfType type = types_.type(id);
    BtfKind kind = type.kind();
    if (check_offset(type.name_off())) check_name(type);
    if (!with_vlen.contains(kind) && type.vlen() != 0) fault(BtfRule::NoElements);
    if (!with_kind_flag.contains(kind) && type.kind_flag()) fault(BtfRule::NoKindFlag);
    if (is_modifier(kind) || kind == BtfKind::Ptr) check_id(type.type());
    check_kind(type);
  }

 private:
  void fault(BtfRule rule, int64_t element = -1) { findings_.add(rule, id_, element); }

  // ---- names and ids

  bool check_offset(uint32_t offset, int64_t element = -1) {
    bool is_valid = is_name_offset(types_, offset);
    if (!is_valid)
      fault(element >= 0 && is_composite(types_.kind(id_)) ? BtfRule::MemberName
                                                           : BtfRule::NameOffset,
            element);
    return is_valid;
  }

  void check_name(BtfType type) {
    NameKind name = name_kind(types_, type.name_off());
    bool has_name = type.name_off() != 0;
    switch (kind_row(type.kind()).name_rule) {
      case NameRule::Any:
        return;
      case NameRule::None:
        if (has_name) fault(BtfRule::NameUnexpected);
        return;
      case NameRule::Optional:
        if (has_name && !name.is_identifier) fault(BtfRule::NameCharacters);
        return;
      case NameRule::Needed:
        if (!name.is_identifier)
          fault(name.is_empty ? BtfRule::NameMissing : BtfRule::NameCharacters);
        return;
      case NameRule::Section:
        if (!name.is_section_name) fault(BtfRule::SectionName);
        return;
      case NameRule::Text:
        if (name.is_empty)
          fault(type.kind() == BtfKind::TypeTag ? BtfRule::TagText : BtfRule::TagValue);
        return;
    }
  }

  /// Checks the name of a member or enumerator.
  void check_element_name(uint32_t offset, bool is_needed, uint32_t element) {
    if (!check_offset(offset, element)) return;
    if (offset == 0 && !is_needed) return;
    if (offset == 0)
      fault(BtfRule::NameMissing, element);
    else if (!name_kind(types_, offset).is_identifier)
      fault(BtfRule::NameCharacters, element);
  }

  bool check_id(uint32_t id, int64_t element = -1) {
    if (id > max_type_id) fault(BtfRule::TypeIdLimit, element);
    return id <= max_type_id;
  }

  // ---- kinds

  void check_kind(BtfType type) {
    switch (kind_class(type.kind())) {
      case KindClass::Integer:
        return check_int(type);
      case KindClass::Array:
        return check_array(type);
      case KindClass::Record:
        return check_members(type);
      case KindClass::Enumeration:
        return check_enum(type);
      case KindClass::Declaration:
        if (type.type() != 0) fault(BtfRule::FwdType);
        return;
      case KindClass::Function:
        if (type.vlen() > static_cast<uint32_t>(BtfLinkage::Global)) fault(BtfRule::FuncLinkage);
        return;
      case KindClass::Variable:
        if (type.type() == 0)
          fault(BtfRule::VarVoid);
        else
          check_id(type.type());
        if (type.var_linkage() > BtfLinkage::Global) fault(BtfRule::VarLinkage);
        return;
      case KindClass::Section:
        return check_datasec(type);
      case KindClass::Floating:
        if (!is_float_size(type.size())) fault(BtfRule::FloatSize);
        return;
      case KindClass::Tag:
        if (type.component_idx() < -1) fault(BtfRule::ComponentIndex);
        return;
      case KindClass::None:
      case KindClass::Pointer:
      case KindClass::Modifier:
      case KindClass::Prototype:
        return;
    }
  }

  void check_int(BtfType type) {
    constexpr uint32_t unused = 0xf0000000;
    uint32_t encoding = type.int_encoding(), bits = type.int_bits() + type.int_offset();
    if ((type.int_data() & unused) != 0) fault(BtfRule::IntData);
    if (encoding != 0 && encoding != btf_int_signed && encoding != btf_int_char &&
        encoding != btf_int_bool)
      fault(BtfRule::IntEncoding);
    if (bits > max_int_bits) return fault(BtfRule::IntBits);
    if ((bits + 7) / 8 > type.size()) fault(BtfRule::IntSize);
  }

  void check_array(BtfType type) {
    if (type.size() != 0) fault(BtfRule::ArraySize);
    if (uint32_t id = type.array_element_type(); id == 0)
      fault(BtfRule::ArrayElement);
    else
      check_id(id);
    if (uint32_t id = type.array_index_type(); id == 0)
      fault(BtfRule::ArrayIndex);
    else
      check_id(id);
  }

  void check_members(BtfType type) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      BtfMember member = type.member(i);
      check_element_name(member.name_off, false, i);
      if (member.type == 0)
        fault(BtfRule::MemberVoid, i);
      else
        check_id(member.type, i);
      uint32_t offset = type.member_bit_offset(i);
      if (offset < last || (type.kind() == BtfKind::Union && offset != 0))
        fault(BtfRule::MemberOrder, i);
      if ((uint64_t{offset} + 7) / 8 > type.size()) fault(BtfRule::MemberOffset, i);
      last = offset;
    }
  }

  void check_enum(BtfType type) {
    if (type.size() > 8 || !std::has_single_bit(type.size())) fault(BtfRule::EnumSize);
    for (uint32_t i = 0; i < type.vlen(); ++i)
      check_element_name(type.enumerator(i).name_off, true, i);
  }

  void check_datasec(BtfType type) {
    if (type.size() == 0) return fault(BtfRule::DatasecSize);  // then none of its variables fits
    uint64_t end = 0;
    for (uint32_t i = 0; i < type.vlen(); ++i) {
      BtfVarSecinfo variable = type.var_secinfo(i);
      check_id(variable.type, i);
      uint64_t begin = variable.offset;
      if (begin < end || begin >= type.size()) fault(BtfRule::VarOrder, i);
      if (variable.size == 0 || variable.size > type.size())
        fault(BtfRule::VarSize, i);
      else if (begin + variable.size > type.size() && begin < type.size())
        fault(BtfRule::VarEnd, i);
      end = begin + variable.size;
    }
  }

  const BtfView& types_;
  Findings& findings_;
  uint32_t id_ = 0;
};

}  // namespace

void check_single_types(const BtfView& types, Findings& findings) {
  SingleTypeCheck check(types, findings);
  for (uint32_t id = types.first_id(); id < types.end_id(); ++id) check.check(id);
}

}  // namespace bpflink
