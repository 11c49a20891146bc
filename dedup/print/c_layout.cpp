// The layout of structs and unions.
//
// BTF says where each member is; C works that out by itself. So C's rules are followed here, those
// that gcc and clang share on the targets of Linux: a member comes at the next multiple of its
// alignment, a bit-field at the next bit, unless it would then cross the boundary of an object of
// its type. Where a member is at a place that is no multiple of its alignment, the struct is
// packed, so that each member comes at the next byte. Where a member is farther on than C would put
// it, padding comes before it.
//
// Alignment is not in BTF. A struct has the largest of its members' alignments here, and no
// alignment where it is packed; one that had a larger one in its source has its members and its
// size all the same, by padding.
//
// Members that overlap, or that are not in the order of their offsets, do not come from C. The
// latter are sorted; the former go into several lanes, each in order and without overlap, which are
// shown as anonymous structs of one anonymous union.
#include "dedup/print/c_layout.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "dedup/align_up.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/print/c_scalars.hpp"

namespace bpflink {

namespace {

/// Bytes; no compiler takes much larger ones.
constexpr uint64_t largest_object = uint64_t{1} << 40;

/// The bits of padding that lead to an offset, unless C leaves them by itself.
uint64_t padding_between(uint64_t position, uint64_t offset, uint64_t least, uint64_t most) {
  bool is_natural =
      align_up(position, 8 * least) == offset && align_up(position, 8 * most) == offset;
  return is_natural ? 0 : offset - position;
}

class Planner {
 public:
  Planner(const BtfView& btf, BtfType type, const std::vector<CShape>& shapes)
      : btf_(btf), type_(type), shapes_(shapes), bits_(8 * uint64_t{type.size()}) {}

  CPlan run() {
    for (uint32_t i = 0; i < type_.vlen(); ++i) add(i);
    is_union() ? share() : distribute();
    choose_packing();
    for (CLane& lane : plan_.lanes) place(lane);
    return std::move(plan_);
  }

 private:
  bool is_union() const { return type_.kind() == BtfKind::Union; }

  void add(uint32_t i);
  bool add_bits(CMember member, const CShape& shape, uint32_t width);
  void share();
  void distribute();
  void choose_packing();
  bool needs_packing(const CMember& member) const;
  void place(CLane& lane);

  BtfView btf_;
  BtfType type_;
  const std::vector<CShape>& shapes_;
  uint64_t bits_;  ///< of the whole
  std::vector<CMember> members_;
  CPlan plan_;
};

/// Takes a member in, unless there is nothing in C that could be in its place.
void Planner::add(uint32_t i) {
  BtfMember raw = type_.member(i);
  const CShape& shape = shapes_[raw.type];
  CMember member{.index = i, .offset = type_.member_bit_offset(i)};
  uint32_t width = type_.member_bitfield_size(i);
  // Before there was a flag for it, a bit-field had an INT of its own with an offset and a width.
  BtfType type = raw.type == 0 ? type_ : btf_.type(raw.type);
  if (!type_.kind_flag() && type.kind() == BtfKind::Int) {
    uint32_t bits = type.int_data() & 0xff;
    if (bits != 0 && bits != 8 * type.size()) {
      width = bits;
      member.offset += type.int_data() >> 16 & 0xff;
    }
  }
  if (width == 0 && member.offset % 8 != 0 && shape.form == CForm::integer)
    width = static_cast<uint32_t>(8 * shape.size);
  if (width != 0) {
    add_bits(member, shape, width);
    return;
  }
  if (member.offset % 8 != 0 || member.offset > bits_) return;
  member.size = 8 * shape.size;
  member.is_empty = !shape.is_object() || member.offset + member.size > bits_;
  if (member.is_empty) {
    member.size = 0;
  } else {
    member.least_alignment = shape.least_alignment;
    member.most_alignment = shape.most_alignment;
  }
  members_.push_back(member);
}

bool Planner::add_bits(CMember member, const CShape& shape, uint32_t width) {
  bool is_unnamed = type_.member(member.index).name_off == 0;
  if (is_unnamed || width > 128 || member.offset + width > bits_) return false;
  member.width = width;
  member.size = width;
  member.least_alignment = shape.least_alignment;
  member.most_alignment = shape.most_alignment;
  bool fits = (shape.form == CForm::integer && width <= 8 * shape.size) ||
              (shape.form == CForm::boolean && width == 1);
  if (!fits) {
    member.stand_in = width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : width <= 64 ? 8 : 16;
    member.least_alignment = static_cast<uint8_t>(std::min(4U, member.stand_in));
    member.most_alignment = static_cast<uint8_t>(member.stand_in);
  }
  members_.push_back(member);
  return true;
}

/// Members of a union each begin at its start, or need a lane of their own.
void Planner::share() {
  bool is_plain = std::ranges::all_of(members_, [](const CMember& m) { return m.offset == 0; });
  if (is_plain) {
    plan_.lanes.resize(1);
    plan_.lanes[0].members = std::move(members_);
    return;
  }
  for (const CMember& member : members_) plan_.lanes.push_back({{member}, 0});
  if (plan_.lanes.size() == 1) plan_.lanes.emplace_back();
}

/// Members of a struct go to one lane, or to as many as are needed.
void Planner::distribute() {
  auto overlaps = [](const CMember& a, const CMember& b) { return b.offset < a.offset + a.size; };
  auto has_order = [&] { return std::ranges::adjacent_find(members_, overlaps) == members_.end(); };
  if (!has_order())
    std::ranges::stable_sort(members_, {},
                             [](const CMember& m) { return std::pair(m.offset, m.size != 0); });
  if (has_order()) {
    plan_.lanes.resize(1);
    plan_.lanes[0].members = std::move(members_);
    return;
  }
  // The lanes, the one that ends first on top.
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

void Planner::choose_packing() {
  plan_.is_packed = has_lanes(plan_);
  if (plan_.is_packed) return;
  for (const CMember& member : plan_.lanes[0].members) {
    plan_.least_alignment = std::max(plan_.least_alignment, member.least_alignment);
    plan_.most_alignment = std::max(plan_.most_alignment, member.most_alignment);
    plan_.is_packed |= needs_packing(member);
  }
  plan_.is_packed |= type_.size() % plan_.most_alignment != 0;
  if (plan_.is_packed) plan_.least_alignment = plan_.most_alignment = 1;
}

bool Planner::needs_packing(const CMember& member) const {
  uint64_t unit = 8 * uint64_t{member.most_alignment};
  return member.width == 0 ? member.offset % unit != 0 : member.offset % unit + member.width > unit;
}

/// Finds where padding is needed between members, and at the end. A union whose members are all
/// smaller than it is has one more, of padding.
void Planner::place(CLane& lane) {
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
          padding_between(position, member.offset, member.least_alignment, member.most_alignment);
    position = member.offset + member.size;
    largest = std::max(largest, member.size);
  }
  if (&lane != &plan_.lanes[0]) return;
  lane.padding = padding_between(is_shared ? largest : position, bits_, plan_.least_alignment,
                                 plan_.most_alignment);
  if (is_shared && lane.padding != 0) lane.padding = bits_;
}

/// An integer, or what else is aligned as such.
CShape scalar(uint32_t size, CForm form, uint32_t long_size) {
  if (!is_integer_size(size)) return {.size = size, .form = CForm::opaque};
  // What is larger than a pointer some targets align like one.
  auto least = static_cast<uint8_t>(std::min(size, long_size));
  return {.size = size,
          .least_alignment = least,
          .most_alignment = static_cast<uint8_t>(size),
          .form = form};
}

CShape shape_of_float(const BtfView& btf, BtfType type, uint32_t long_size) {
  std::string_view name = btf.name(type);
  if (!c_scalar(name, type, long_size).empty())
    return scalar(type.size(), CForm::opaque, long_size);
  auto alignment = static_cast<uint8_t>(float_alignment(name, type.size()));
  return {.size = type.size(),
          .least_alignment = alignment,
          .most_alignment = alignment,
          .form = CForm::opaque};
}

CShape shape_of_array(BtfType type, const std::vector<CShape>& shapes) {
  CShape shape = shapes[type.array_element_type()];
  if (!shape.is_object()) return {.form = CForm::array};
  shape.size *= printed_length(type, shapes);
  shape.form = CForm::array;
  shape.record = 0;
  return shape;
}

CShape shape_of_record(const BtfView& btf, uint32_t id, const std::vector<CShape>& shapes) {
  BtfType type = btf.type(id);
  CPlan plan = plan_layout(btf, type, shapes);
  return {.size = type.size(),
          .record = id,
          .least_alignment = plan.least_alignment,
          .most_alignment = plan.most_alignment,
          .form = CForm::record};
}

}  // namespace

uint32_t printed_length(BtfType array, const std::vector<CShape>& shapes) {
  const CShape& element = shapes[array.array_element_type()];
  uint64_t size = std::max<uint64_t>(element.size, 1);
  return array.array_length() > largest_object / size ? 0 : array.array_length();
}

CShape shape_of(const BtfView& btf, uint32_t id, const std::vector<CShape>& shapes,
                uint32_t long_size) {
  BtfType type = btf.type(id);
  switch (type.kind()) {
    case BtfKind::Int: {
      bool is_bool = is_c_bool(btf.name(type), type, long_size);
      return scalar(type.size(), is_bool ? CForm::boolean : CForm::integer, long_size);
    }
    case BtfKind::Enum:
    case BtfKind::Enum64:
      if (!is_enum_size(type.size())) return {.size = type.size(), .form = CForm::opaque};
      return scalar(type.size(), CForm::integer, long_size);
    case BtfKind::Float:
      return shape_of_float(btf, type, long_size);
    case BtfKind::Fwd:
      return {.form = CForm::incomplete};
    case BtfKind::Ptr: {
      bool is_code = shapes[type.type()].form == CForm::function;
      return scalar(long_size, is_code ? CForm::code_pointer : CForm::pointer, long_size);
    }
    case BtfKind::FuncProto:
      return {.form = CForm::function};
    case BtfKind::Array:
      return shape_of_array(type, shapes);
    case BtfKind::Struct:
    case BtfKind::Union:
      return shape_of_record(btf, id, shapes);
    case BtfKind::Typedef:
    case BtfKind::Const:
    case BtfKind::Volatile:
    case BtfKind::Restrict:
    case BtfKind::TypeTag:
      return shapes[type.type()];
    default:
      return {};
  }
}

CPlan plan_layout(const BtfView& btf, BtfType type, const std::vector<CShape>& shapes) {
  return Planner(btf, type, shapes).run();
}

}  // namespace bpflink
