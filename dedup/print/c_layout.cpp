// The layout of structs and unions.
//
// BTF has the offset of each member; C computes it. This file applies the rules that gcc and clang
// share on the targets of Linux: a member begins at the next multiple of its alignment, and a
// bit-field at the next bit, unless it would then cross the boundary of an object of its type. If a
// member's offset is not a multiple of its alignment, the struct is packed, so that each member
// begins at the next byte. If a member's offset is higher than C's, padding is printed before it:
//
//   BTF:  STRUCT s, int a at byte 0, char b at byte 6
//   C:    struct s { int a; short: 16; char b; };
//
// Alignment is not in BTF. A struct is assumed to have the largest alignment of its members, and 1
// if it is packed. A struct that had a larger one in its source still gets its offsets and size, by
// padding.
//
// Members that overlap, or are not in order of their offsets, do not come from C. Members out of
// order are sorted. Overlapping ones are divided into several lanes, each in order and without
// overlap, which are printed as anonymous structs of one anonymous union.
#include "dedup/print/c_layout.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "dedup/align_up.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

MemberBits member_bits(const BtfView& btf, BtfType record, uint32_t i) {
  MemberBits bits{record.member_bit_offset(i), record.member_bitfield_size(i)};
  uint32_t id = record.member(i).type;
  // Without kind_flag, a bit-field is an INT of its own with an offset and a width.
  if (record.kind_flag() || btf.kind(id) != BtfKind::Int) return bits;
  BtfType type = btf.type(id);
  if (uint32_t width = type.int_bits(); width != 0 && width != 8 * type.size())
    bits = {bits.offset + type.int_offset(), width};
  return bits;
}

namespace {

/// Bytes; compilers reject much larger objects.
constexpr uint64_t max_object_size = uint64_t{1} << 40;

/// The bits of padding to print between two positions: 0 if C leaves the same gap by itself.
uint64_t padding_between(uint64_t position, uint64_t offset, uint64_t least, uint64_t most) {
  bool is_natural =
      align_up(position, 8 * least) == offset && align_up(position, 8 * most) == offset;
  return is_natural ? 0 : offset - position;
}

class Planner {
 public:
  Planner(const BtfView& btf, BtfType type, const std::vector<CLayout>& layouts)
      : btf_(btf), type_(type), layouts_(layouts), bits_(8 * uint64_t{type.size()}) {}

  CPlan run() {
    for (uint32_t i = 0; i < type_.vlen(); ++i) add_member(i);
    is_union() ? plan_union() : plan_struct();
    choose_packing();
    for (CLane& lane : plan_.lanes) pad(lane);
    return std::move(plan_);
  }

 private:
  bool is_union() const { return type_.kind() == BtfKind::Union; }

  /// Adds a member, unless C cannot express it.
  void add_member(uint32_t i) {
    BtfMember raw = type_.member(i);
    const CLayout& layout = layouts_[raw.type];
    auto [offset, width] = member_bits(btf_, type_, i);
    CMember member{.index = i, .offset = offset};
    if (width == 0 && member.offset % 8 != 0 && layout.form == CForm::Integer)
      width = static_cast<uint32_t>(8 * layout.size);
    if (width != 0) {
      add_bits(member, layout, width);
      return;
    }
    if (member.offset % 8 != 0 || member.offset > bits_) return;
    member.size = 8 * layout.size;
    member.is_empty = !layout.is_object() || member.offset + member.size > bits_;
    if (member.is_empty) {
      member.size = 0;
    } else {
      member.min_alignment = layout.min_alignment;
      member.max_alignment = layout.max_alignment;
    }
    members_.push_back(member);
  }

  bool add_bits(CMember member, const CLayout& layout, uint32_t width) {
    bool is_unnamed = type_.member(member.index).name_off == 0;
    if (is_unnamed || width > 128 || member.offset + width > bits_) return false;
    member.width = width;
    member.size = width;
    member.min_alignment = layout.min_alignment;
    member.max_alignment = layout.max_alignment;
    bool fits = (layout.form == CForm::Integer && width <= 8 * layout.size) ||
                (layout.form == CForm::Boolean && width == 1);
    if (!fits) {
      member.stand_in = width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : width <= 64 ? 8 : 16;
      member.min_alignment = static_cast<uint8_t>(std::min(4U, member.stand_in));
      member.max_alignment = static_cast<uint8_t>(member.stand_in);
    }
    members_.push_back(member);
    return true;
  }

  /// Members of a union begin at its start, or each gets a lane of its own.
  void plan_union() {
    bool is_plain = std::ranges::all_of(members_, [](const CMember& m) { return m.offset == 0; });
    if (is_plain) {
      plan_.lanes.resize(1);
      plan_.lanes[0].members = std::move(members_);
      return;
    }
    for (const CMember& member : members_) plan_.lanes.push_back({{member}, 0});
    if (plan_.lanes.size() == 1) plan_.lanes.emplace_back();
  }

  /// Members of a struct go into one lane; if they overlap, into as many as needed.
  void plan_struct() {
    auto overlaps = [](const CMember& a, const CMember& b) { return b.offset < a.offset + a.size; };
    auto has_order = [&] {
      return std::ranges::adjacent_find(members_, overlaps) == members_.end();
    };
    if (!has_order())
      std::ranges::stable_sort(members_, {},
                               [](const CMember& m) { return std::pair(m.offset, m.size != 0); });
    if (has_order()) {
      plan_.lanes.resize(1);
      plan_.lanes[0].members = std::move(members_);
      return;
    }
    // The ends of lanes, the lowest on top.
    std::priority_queue<std::pair<uint64_t, size_t>, std::vector<std::pair<uint64_t, size_t>>,
                        std::greater<>>
        ends;
    for (const CMember& member : members_) {
      size_t lane = plan_.lanes.size();
      if (!ends.empty() && ends.top().first <= member.offset) {
        lane = ends.top().second;
        ends.pop();
      } else {
        plan_.lanes.emplace_back();
      }
      plan_.lanes[lane].members.push_back(member);
      ends.emplace(member.offset + member.size, lane);
    }
  }

  void choose_packing() {
    plan_.is_packed = has_lanes(plan_);
    if (plan_.is_packed) return;
    for (const CMember& member : plan_.lanes[0].members) {
      plan_.min_alignment = std::max(plan_.min_alignment, member.min_alignment);
      plan_.max_alignment = std::max(plan_.max_alignment, member.max_alignment);
      plan_.is_packed |= needs_packing(member);
    }
    plan_.is_packed |= type_.size() % plan_.max_alignment != 0;
    if (plan_.is_packed) plan_.min_alignment = plan_.max_alignment = 1;
  }

  bool needs_packing(const CMember& member) const {
    uint64_t unit = 8 * uint64_t{member.max_alignment};
    return member.width == 0 ? member.offset % unit != 0
                             : member.offset % unit + member.width > unit;
  }

  /// Finds the padding between members and at the end. A union that is larger than all its members
  /// gets one more member, of padding.
  void pad(CLane& lane) {
    bool is_shared = is_union() && !has_lanes(plan_);
    uint64_t position = 0, largest = 0;
    for (CMember& member : lane.members) {
      if (is_shared) position = 0;
      if (member.width != 0)
        member.padding = member.offset - position;
      else if (plan_.is_packed)
        member.padding = padding_between(position, member.offset, 1, 1);
      else
        member.padding =
            padding_between(position, member.offset, member.min_alignment, member.max_alignment);
      position = member.offset + member.size;
      largest = std::max(largest, member.size);
    }
    if (&lane != &plan_.lanes[0]) return;
    lane.padding = padding_between(is_shared ? largest : position, bits_, plan_.min_alignment,
                                   plan_.max_alignment);
    if (is_shared && lane.padding != 0) lane.padding = bits_;
  }

  BtfView btf_;
  BtfType type_;
  const std::vector<CLayout>& layouts_;
  uint64_t bits_;  ///< of the struct or union
  std::vector<CMember> members_;
  CPlan plan_;
};

/// The layout of an integer, or of another type aligned like one.
CLayout scalar(uint32_t size, CForm form, uint32_t long_size) {
  if (!is_integer_size(size)) return {.size = size, .form = CForm::Bytes};
  // Some targets align integers larger than a pointer like a pointer.
  auto least = static_cast<uint8_t>(std::min(size, long_size));
  return {.size = size,
          .min_alignment = least,
          .max_alignment = static_cast<uint8_t>(size),
          .form = form};
}

CLayout layout_of_float(const BtfView& btf, BtfType type, uint32_t long_size) {
  std::string_view name = btf.name(type);
  if (!c_scalar(name, type, long_size).empty()) return scalar(type.size(), CForm::Bytes, long_size);
  auto alignment = static_cast<uint8_t>(float_alignment(name, type.size()));
  return {.size = type.size(),
          .min_alignment = alignment,
          .max_alignment = alignment,
          .form = CForm::Bytes};
}

CLayout layout_of_array(BtfType type, const std::vector<CLayout>& layouts) {
  CLayout layout = layouts[type.array_element_type()];
  if (!layout.is_object()) return {.form = CForm::Array};
  layout.size *= printed_length(type, layouts);
  layout.form = CForm::Array;
  layout.record = 0;
  return layout;
}

CLayout layout_of_record(const BtfView& btf, uint32_t id, const std::vector<CLayout>& layouts) {
  BtfType type = btf.type(id);
  CPlan plan = plan_layout(btf, type, layouts);
  return {.size = type.size(),
          .record = id,
          .min_alignment = plan.min_alignment,
          .max_alignment = plan.max_alignment,
          .form = CForm::Record};
}

}  // namespace

uint32_t printed_length(BtfType array, const std::vector<CLayout>& layouts) {
  const CLayout& element = layouts[array.array_element_type()];
  uint64_t size = std::max<uint64_t>(element.size, 1);
  return array.array_length() > max_object_size / size ? 0 : array.array_length();
}

CLayout c_layout_of(const BtfView& btf, uint32_t id, const std::vector<CLayout>& layouts,
                    uint32_t long_size) {
  BtfType type = btf.type(id);
  switch (kind_class(type.kind())) {
    case KindClass::Integer: {
      bool is_bool = is_c_bool(btf.name(type), type, long_size);
      return scalar(type.size(), is_bool ? CForm::Boolean : CForm::Integer, long_size);
    }
    case KindClass::Enumeration:
      if (!is_enum_size(type.size())) return {.size = type.size(), .form = CForm::Bytes};
      return scalar(type.size(), CForm::Integer, long_size);
    case KindClass::Floating:
      return layout_of_float(btf, type, long_size);
    case KindClass::Declaration:
      return {.form = CForm::Incomplete};
    case KindClass::Pointer: {
      bool is_code = layouts[type.type()].form == CForm::Function;
      return scalar(long_size, is_code ? CForm::CodePointer : CForm::Pointer, long_size);
    }
    case KindClass::Prototype:
      return {.form = CForm::Function};
    case KindClass::Array:
      return layout_of_array(type, layouts);
    case KindClass::Record:
      return layout_of_record(btf, id, layouts);
    case KindClass::Modifier:
      return layouts[type.type()];
    case KindClass::None:
    case KindClass::Function:
    case KindClass::Variable:
    case KindClass::Section:
    case KindClass::Tag:
      break;
  }
  return {};
}

CPlan plan_layout(const BtfView& btf, BtfType type, const std::vector<CLayout>& layouts) {
  return Planner(btf, type, layouts).run();
}

}  // namespace bpflink
