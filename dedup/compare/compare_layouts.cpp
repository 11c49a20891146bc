// The layout policy: compares definitions of one name that both types lead to. If a struct's layout
// differs only because a struct in it differs, only the inner one is reported.
//
// Two structs or unions agree if members of one name have the same offset and width. A member that
// only one of them has must be padding, or lie where the other has members of other names. Members
// of anonymous structs and unions count as members of the outer struct. Types of members do not
// count: a pointer and a number of the same width agree.
//
// A definition that hides its contents, because it has no members or only one array of integers,
// agrees with any definition that fits into it. An array without a length at the end agrees with
// any array.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <unordered_map>

#include "bpflink/btf_query.hpp"
#include "dedup/compare/compare.hpp"
#include "dedup/compare/name_words.hpp"
#include "dedup/compare/type_text.hpp"

namespace bpflink {

namespace {

/// A member that both records have.
struct CommonMember {
  std::string path;     ///< ".a.b"
  uint64_t bit_offset;  ///< the smaller of the two
  uint32_t a, b;        ///< their types
};

/// A difference without its path.
struct LayoutDifference {
  TypeDifference difference;
  uint64_t bit_offset = 0;
};

/// A struct, union or enum.
struct Record {
  const BtfView& types;
  uint32_t id;
};

/// A member whose type is not an anonymous struct or union.
struct Field {
  std::string path;
  uint64_t bit_offset;
  uint64_t bits;
  uint32_t width;  ///< of a bit-field, otherwise 0
  uint32_t type;
  int32_t member;  ///< the index of the record's member that it is, or is in

  bool has_bits_of(const Field& other) const {
    return bit_offset == other.bit_offset && bits == other.bits;
  }
  std::string place() const { return offset_note(bit_offset, width); }
};

/// The bits of members that agree. Other members at these bits are other views of them, in a union.
class Coverage {
 public:
  void add(const Field& field) {
    uint64_t begin = field.bit_offset, end = begin + field.bits;
    auto next = ends_.upper_bound(begin);
    if (next != ends_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != ends_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ends_.erase(next);
    }
    ends_[begin] = end;
  }
  bool covers(const Field& field) const {
    auto next = ends_.upper_bound(field.bit_offset);
    return next != ends_.begin() && std::prev(next)->second >= field.bit_offset + field.bits;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;  ///< of ranges of bits, by their beginning
};

/// An enumerator's value as a number that orders like it, signed or not.
uint64_t ordered_value(BtfType type, uint64_t value) {
  return value ^ uint64_t { type.kind_flag() } << 63;
}

/// The largest value that a count of the enumerators must not be below: names of others may say
/// "last" or "end" too (`EV_SEEK_END`).
uint64_t largest_counted(const BtfView& types, BtfType type) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < type.vlen(); ++i) {
    BtfEnumerator enumerator = type.enumerator(i);
    if (!names_count(types.string(enumerator.name_off)))
      largest = std::max(largest, ordered_value(type, enumerator.value));
  }
  return largest;
}

using Fields = std::vector<Field>;

/// The fields of a record in order, or nothing if `work` gets too large.
std::optional<Fields> fields_of(const Record& record, size_t& work) {
  const BtfView& types = record.types;
  struct Pending {
    BtfMember member;
    uint64_t bit_offset;
    uint32_t width;
    std::string path;
    int32_t top;
  };
  std::vector<Pending> pending;
  auto push_members = [&](BtfType type, uint64_t base, const std::string& path, int32_t top) {
    // In reverse: the last is taken first.
    for (uint32_t i = type.vlen(); i-- > 0;) {
      std::string_view name = types.string(type.member(i).name_off);
      pending.push_back({type.member(i), base + type.member_bit_offset(i),
                         type.member_bitfield_size(i),
                         name.empty() ? path : fmt::format("{}.{}", path, name),
                         top < 0 ? static_cast<int32_t>(i) : top});
    }
    work += type.vlen();
  };
  Fields fields;
  push_members(types.type(record.id), 0, "", -1);
  while (!pending.empty()) {
    if (work > TypeComparison::max_work) return std::nullopt;
    Pending next = std::move(pending.back());
    pending.pop_back();
    uint32_t id = skip_modifiers(types, next.member.type);
    bool is_anonymous = is_composite(types.kind(id)) && types.name(types.type(id)).empty() &&
                        types.type(id).vlen() != 0;
    if (is_anonymous) {
      push_members(types.type(id), next.bit_offset, next.path, next.top);
      continue;
    }
    uint64_t bits = next.width != 0 ? next.width : 8 * type_size(types, id).value_or(0);
    fields.push_back(
        {std::move(next.path), next.bit_offset, bits, next.width, next.member.type, next.top});
  }
  return fields;
}

/// Whether a record hides its contents: no members, or one array of integers with room for the
/// other record.
bool hides_contents(const Record& record, const Fields& fields, uint32_t size_of_other) {
  if (fields.empty()) return true;
  const BtfView& types = record.types;
  uint32_t size = types.type(record.id).size();
  if (fields.size() != 1 || fields[0].bits != uint64_t{8} * size || size < size_of_other)
    return false;
  uint32_t id = skip_modifiers(types, fields[0].type);
  if (types.kind(id) != BtfKind::Array) return false;
  uint32_t element = skip_modifiers(types, types.type(id).array_element_type());
  return types.kind(element) == BtfKind::Int;
}

/// The difference of two structs or unions at the lowest offset. Adds the members that both have to
/// `common`. Counts members in `work`; beyond TypeComparison::max_work, the two count as equal.
std::optional<LayoutDifference> compare_record_layouts(const Record& a, const Record& b,
                                                       std::vector<CommonMember>& common,
                                                       size_t& work) {
  auto of_a = fields_of(a, work), of_b = fields_of(b, work);
  if (!of_a || !of_b) return std::nullopt;
  uint32_t size_a = a.types.type(a.id).size(), size_b = b.types.type(b.id).size();
  if (hides_contents(a, *of_a, size_b) || hides_contents(b, *of_b, size_a)) return std::nullopt;

  auto side = [](const Record& record, const Field& field, std::string note) {
    return DifferenceSide{field.type, std::move(note), record.id, field.member};
  };
  std::optional<LayoutDifference> first;
  auto differ = [&](LayoutDifference difference) {
    if (!first || difference.bit_offset < first->bit_offset) first = std::move(difference);
  };
  std::unordered_map<std::string_view, const Field*> by_path;
  for (const Field& field : *of_b) by_path.emplace(field.path, &field);
  Fields only_a;
  Coverage agreed;
  bool has_open_end = false;
  for (const Field& field : *of_a) {
    auto found = by_path.find(field.path);
    if (found == by_path.end()) {
      only_a.push_back(field);
      continue;
    }
    const Field& other = *found->second;
    by_path.erase(found);
    common.push_back(
        {field.path, std::min(field.bit_offset, other.bit_offset), field.type, other.type});
    bool is_open = field.bit_offset == other.bit_offset && (field.bits == 0 || other.bits == 0);
    has_open_end |= is_open && field.bits != other.bits;
    if (is_open || field.has_bits_of(other)) {
      agreed.add(field);
      continue;
    }
    bool moved = field.bit_offset != other.bit_offset || field.width != other.width;
    auto note = [&](const Field& f) { return moved ? f.place() : bytes_note(f.bits / 8); };
    differ({{"", field.path, side(a, field, note(field)), side(b, other, note(other))},
            common.back().bit_offset});
  }

  // The remaining members exist on one side only, or have two names.
  std::set<std::pair<uint64_t, uint64_t>> spans_a, spans_b;
  for (const Field& field : only_a) spans_a.emplace(field.bit_offset, field.bits);
  for (auto& [path, field] : by_path) spans_b.emplace(field->bit_offset, field->bits);
  auto is_accounted_for = [&](const Field& field, const auto& others) {
    return others.contains({field.bit_offset, field.bits}) || agreed.covers(field) ||
           names_padding(std::string_view(field.path).substr(field.path.rfind('.') + 1));
  };
  auto missing = [](const Record& record) {
    return DifferenceSide{0, "no such member", record.id};
  };
  // A missing member wins over one at the same offset, which it may have moved.
  auto differ_alone = [&](LayoutDifference difference) {
    if (!first || difference.bit_offset <= first->bit_offset) first = std::move(difference);
  };
  for (const Field& field : std::views::reverse(only_a))
    if (!is_accounted_for(field, spans_b))
      differ_alone({{"", field.path, side(a, field, field.place()), missing(b)}, field.bit_offset});
  for (const Field& field : std::views::reverse(*of_b))
    if (by_path.contains(field.path) && !is_accounted_for(field, spans_a))
      differ_alone({{"", field.path, missing(a), side(b, field, field.place())}, field.bit_offset});
  if (!first && !has_open_end && size_a != size_b)
    differ({{"", "", {a.id, bytes_note(size_a), a.id}, {b.id, bytes_note(size_b), b.id}},
            uint64_t{8} * std::min(size_a, size_b)});
  return first;
}

/// Compares two ENUMs or ENUM64s: enumerators of one name must have one value. An enumerator that
/// only one of them has is allowed, and then one that counts the others (`EV_MAX`) may differ.
std::optional<TypeDifference> compare_enum_layouts(const Record& a, const Record& b) {
  BtfType of_a = a.types.type(a.id), of_b = b.types.type(b.id);
  if (of_a.vlen() == 0 || of_b.vlen() == 0) return std::nullopt;
  auto differ = [&](std::string note_a, std::string note_b, int32_t i = -1, int32_t j = -1) {
    return TypeDifference{
        "", "", {a.id, std::move(note_a), a.id, i}, {b.id, std::move(note_b), b.id, j}};
  };
  std::unordered_map<std::string_view, uint32_t> by_name;
  for (uint32_t i = 0; i < of_b.vlen(); ++i)
    by_name.emplace(b.types.string(of_b.enumerator(i).name_off), i);
  uint64_t counted_a = largest_counted(a.types, of_a), counted_b = largest_counted(b.types, of_b);
  for (uint32_t i = 0; i < of_a.vlen(); ++i) {
    BtfEnumerator x = of_a.enumerator(i);
    std::string_view name = a.types.string(x.name_off);
    auto found = by_name.find(name);
    if (found == by_name.end() || of_b.enumerator(found->second).value == x.value) continue;
    bool may_count = of_a.vlen() != of_b.vlen() && names_count(name);
    if (may_count && ordered_value(of_a, x.value) >= counted_a &&
        ordered_value(of_b, of_b.enumerator(found->second).value) >= counted_b)
      continue;
    return differ(enumerator_note(a.types, of_a, i), enumerator_note(b.types, of_b, found->second),
                  static_cast<int32_t>(i), static_cast<int32_t>(found->second));
  }
  if (of_a.size() == of_b.size()) return std::nullopt;
  return differ(bytes_note(of_a.size()), bytes_note(of_b.size()));
}

/// The member that a path such as ".a.b" begins with, or -1 if it is in an anonymous struct.
int32_t index_of_member(const BtfView& types, uint32_t id, std::string_view path) {
  std::string_view name = path.substr(1, path.find('.', 1) - 1);
  BtfType type = types.type(id);
  for (uint32_t i = 0; i < type.vlen(); ++i)
    if (types.string(type.member(i).name_off) == name) return static_cast<int32_t>(i);
  return -1;
}

}  // namespace

TypeComparison::Found TypeComparison::compare_layouts(const Pair& pair, BtfType a, BtfType b) {
  if (is_enum(a.kind()) && is_enum(b.kind())) {
    if (may_layout_differ(pair.owner)) return std::nullopt;
    auto difference = compare_enum_layouts({a_, pair.a}, {b_, pair.b});
    return difference ? in_owner(pair, std::move(*difference)) : std::nullopt;
  }
  if (a.kind() != b.kind()) return std::nullopt;
  if (is_composite(a.kind())) return compare_record_pair(pair);
  if (a.kind() == BtfKind::Ptr) add_pair(a.type(), b.type(), "->", false, pair.owner);
  if (a.kind() == BtfKind::Array)
    add_pair(a.array_element_type(), b.array_element_type(), "[]", false, pair.owner);
  if (a.kind() == BtfKind::FuncProto) {
    add_pair(a.type(), b.type(), " (return value)", false);
    for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i)
      add_pair(a.param(i).type, b.param(i).type, parameter_label(i), false);
  }
  return std::nullopt;
}

TypeComparison::Found TypeComparison::compare_record_pair(const Pair& pair) {
  if (may_layout_differ(pair.owner)) return std::nullopt;
  std::vector<CommonMember> common;
  auto difference = compare_record_layouts({a_, pair.a}, {b_, pair.b}, common, work_);
  for (const CommonMember& member : common)
    add_pair(member.a, member.b, member.path, false, pair.owner);
  // Whether a struct in it has another size. Then that struct is reported.
  auto explains_difference = [&](const CommonMember& member) {
    if (member.bit_offset > difference->bit_offset) return false;
    uint32_t a = skip_arrays(a_, member.a), b = skip_arrays(b_, member.b);
    return is_composite(a_.kind(a)) && is_composite(b_.kind(b)) &&
           a_.type(a).size() != b_.type(b).size() && !may_layout_differ(name_of(a, b, {}));
  };
  for (const CommonMember& member : common)
    if (auto found = compare_type_tags(pair, member.a, member.b, member.path);
        found && !difference && !pair.owner.name.empty()) {
      found->a.member = index_of_member(a_, pair.a, member.path);
      found->b.member = index_of_member(b_, pair.b, member.path);
      return in_owner(pair, std::move(*found));
    }
  if (!difference || std::ranges::any_of(common, explains_difference)) return std::nullopt;
  return in_owner(pair, std::move(difference->difference));
}

/// A difference of a pair, within the named definitions that contain it.
TypeComparison::Found TypeComparison::in_owner(const Pair& pair, TypeDifference difference) const {
  difference.path = path_to(current_);
  difference.a.definition = pair.owner.a;
  difference.b.definition = pair.owner.b;
  return difference;
}

/// The name under which two definitions are reported: their tag; without tags, their typedef;
/// otherwise the definitions that contain them.
TypeComparison::Named TypeComparison::name_of(uint32_t a, uint32_t b, const Named& owner) const {
  uint32_t id_a = skip_modifiers(a_, a), id_b = skip_modifiers(b_, b);
  std::string_view tag = a_.name(a_.type(id_a)), tag_b = b_.name(b_.type(id_b));
  if (!tag.empty() || !tag_b.empty()) return tag == tag_b ? Named{tag, id_a, id_b} : Named{};
  auto last_typedef = [](const BtfView& types, uint32_t id) {
    uint32_t last = 0;
    for (id = skip_qualifiers(types, id); types.kind(id) == BtfKind::Typedef;
         id = skip_qualifiers(types, types.type(id).type()))
      last = id;
    return last;
  };
  a = last_typedef(a_, a);
  b = last_typedef(b_, b);
  if (a == 0 || b == 0) return owner;
  std::string_view name = a_.name(a_.type(a));
  return name == b_.name(b_.type(b)) ? Named{name, a, b} : Named{};
}

/// Whether a difference is not an error. CO-RE flavors (`struct ev___old`) are meant to differ.
bool TypeComparison::may_layout_differ(const Named& named) const {
  return named.name.empty() || named.name.find("___", 1) != std::string_view::npos ||
         may_differ(named.name);
}

}  // namespace bpflink
