#include "linker/passes/type_compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dedup/internal.hpp"
#include "linker/types/type_notes.hpp"

namespace bpflink {
namespace {

/// The kind that a tag of C declares: a FWD is a struct, or with kind_flag a
/// union, of which no more is known.
BtfKind tag_kind(BtfType type) {
  if (type.kind() == BtfKind::Fwd) return type.kind_flag() ? BtfKind::Union : BtfKind::Struct;
  return type.kind();
}

std::string place_of_member(BtfType type, uint32_t i) {
  return offset_note(type.member_bit_offset(i), type.member_bitfield_size(i));
}

}  // namespace

/// What is behind typedefs, qualifiers and tags. Bounded by the number of types,
/// should they form a circle.
uint32_t TypeComparer::strip(uint32_t id) const {
  for (uint32_t steps = 0; id != 0 && steps < btf_.end_id(); ++steps) {
    BtfType type = btf_.type(id);
    if (!is_modifier(type.kind())) break;
    id = type.type();
  }
  return id;
}

std::optional<TypeDifference> TypeComparer::compare(uint32_t a, uint32_t b) {
  return walk({a, b, false, 0, ""}, false);
}

std::optional<TypeDifference> TypeComparer::walk(const Pair& start, bool exact_lengths) {
  pending_.assign(1, start);
  steps_.assign(1, {0, ""});
  seen_.clear();
  while (!pending_.empty()) {
    Pair pair = std::move(pending_.back());
    pending_.pop_back();
    uint32_t a = strip(pair.a), b = strip(pair.b);
    if (a == b || !seen_.insert({{a, b}, pair.behind_pointer}).second) continue;
    steps_.push_back({pair.parent, pair.label});
    here_ = static_cast<uint32_t>(steps_.size() - 1);
    size_t bottom = pending_.size();
    Pair stripped{a, b, pair.behind_pointer, pair.parent, ""};
    if (!compare_one(stripped, exact_lengths)) return std::move(difference_);
    // Members in their order: the first difference is the first in the source.
    std::reverse(pending_.begin() + static_cast<ptrdiff_t>(bottom), pending_.end());
  }
  return std::nullopt;
}

void TypeComparer::follow(uint32_t a, uint32_t b, bool behind_pointer, std::string label) {
  if (a != b) pending_.push_back({a, b, behind_pointer, here_, std::move(label)});
}

std::string TypeComparer::path_to(uint32_t step) const {
  std::vector<std::string_view> labels;
  for (; step != 0; step = steps_[step].parent) labels.push_back(steps_[step].label);
  std::string path;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) path += *label;
  return path;
}

/// The pair itself differs; always false.
bool TypeComparer::differ(const Pair& pair, std::string note_a, std::string note_b) {
  return differ_at("", pair.a, pair.b, std::move(note_a), std::move(note_b));
}

/// Something of the pair differs; always false.
bool TypeComparer::differ_at(std::string_view label, uint32_t a, uint32_t b, std::string note_a,
                             std::string note_b) {
  difference_ = {path_to(here_).append(label), a, b, std::move(note_a), std::move(note_b)};
  return false;
}

bool TypeComparer::compare_one(const Pair& pair, bool exact_lengths) {
  if (pair.a == 0 || pair.b == 0) return differ(pair);
  BtfType a = btf_.type(pair.a), b = btf_.type(pair.b);
  if (a.kind() == BtfKind::Fwd || b.kind() == BtfKind::Fwd)
    return (tag_kind(a) == tag_kind(b) && btf_.name(a) == btf_.name(b)) || differ(pair);
  if (is_enum(a.kind()) && is_enum(b.kind())) return compare_enums(pair, a, b);
  if (a.kind() != b.kind()) return differ(pair);
  switch (a.kind()) {
    case BtfKind::Int:
      if (agreement_ == Agreement::Shapes && a.size() == b.size()) return true;
      if (a.size() == b.size() && (a.int_data() & ~int_char_bit) == (b.int_data() & ~int_char_bit))
        return true;
      return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    case BtfKind::Float:
      return a.size() == b.size() || differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    case BtfKind::Ptr:
      follow(a.type(), b.type(), true, "->");
      return true;
    case BtfKind::Array: {
      bool open = !exact_lengths && (a.array_length() == 0 || b.array_length() == 0);
      open |= agreement_ == Agreement::Shapes;
      if (a.array_length() != b.array_length() && !open) return differ(pair);
      follow(a.array_element_type(), b.array_element_type(), pair.behind_pointer, "[]");
      return true;
    }
    case BtfKind::Struct:
    case BtfKind::Union:
      return compare_structs(pair, a, b);
    case BtfKind::FuncProto: {
      if (a.vlen() != b.vlen()) return differ(pair);
      bool behind_pointer = agreement_ == Agreement::Shapes && pair.behind_pointer;
      follow(a.type(), b.type(), behind_pointer, " (return value)");
      for (uint32_t i = 0; i < a.vlen(); ++i)
        follow(a.param(i).type, b.param(i).type, behind_pointer,
               fmt::format(" (parameter {})", i + 1));
      return true;
    }
    case BtfKind::Func:
      follow(a.type(), b.type(), false, "");
      return btf_.name(a) == btf_.name(b) || differ(pair);
    default:
      return differ(pair);
  }
}

bool TypeComparer::compare_structs(const Pair& pair, BtfType a, BtfType b) {
  if (btf_.name(a) != btf_.name(b)) return differ(pair);
  bool shapes = agreement_ == Agreement::Shapes;
  if (pair.behind_pointer && (shapes || !btf_.name(a).empty())) return true;
  for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i) {
    BtfMember of_a = a.member(i), of_b = b.member(i);
    std::string_view name = btf_.string(of_a.name_off);
    std::string label = fmt::format(".{}", name);
    bool same_name = name == btf_.string(of_b.name_off);
    if (!same_name || a.member_bit_offset(i) != b.member_bit_offset(i) ||
        a.member_bitfield_size(i) != b.member_bitfield_size(i)) {
      std::string other = same_name ? "" : fmt::format("named '{}', ", btf_.string(of_b.name_off));
      return differ_at(label, of_a.type, of_b.type, place_of_member(a, i),
                       other + place_of_member(b, i));
    }
    follow(of_a.type, of_b.type, pair.behind_pointer, std::move(label));
  }
  if (a.vlen() != b.vlen()) {
    BtfType more = a.vlen() > b.vlen() ? a : b;
    BtfMember member = more.member(std::min(a.vlen(), b.vlen()));
    bool in_a = a.vlen() > b.vlen();
    return differ_at(fmt::format(".{}", btf_.string(member.name_off)), in_a ? member.type : 0,
                     in_a ? 0 : member.type, in_a ? "" : "no such member",
                     in_a ? "no such member" : "");
  }
  return shapes || a.size() == b.size() || differ(pair, bytes_note(a.size()), bytes_note(b.size()));
}

bool TypeComparer::compare_enums(const Pair& pair, BtfType a, BtfType b) {
  if (btf_.name(a) != btf_.name(b)) return differ(pair);
  if (a.vlen() == 0 || b.vlen() == 0) return true;  // one is a forward declaration
  if (a.kind() != b.kind() || a.size() != b.size())
    return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
  if (agreement_ == Agreement::Shapes) return true;
  auto note = [&](BtfType type, uint32_t i) {
    return enumerator_note(btf_.string(type.enumerator(i).name_off), type, i);
  };
  for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i)
    if (a.enumerator(i) != b.enumerator(i)) return differ(pair, note(a, i), note(b, i));
  return a.vlen() == b.vlen() ||
         differ(pair, count_of(a.vlen(), "enumerator"), count_of(b.vlen(), "enumerator"));
}

std::optional<TypeDifference> TypeComparer::compare_maps(uint32_t declared, uint32_t defined,
                                                         bool declared_is_extern) {
  declared = strip(declared);
  defined = strip(defined);
  if (declared == defined) return std::nullopt;
  if (declared == 0 || defined == 0) return TypeDifference{"", declared, defined, "", ""};
  BtfType a = btf_.type(declared), b = btf_.type(defined);
  if (!is_composite(a.kind()) || a.kind() != b.kind()) return compare(declared, defined);

  Attributes of_a = attributes_of(a), of_b = attributes_of(b);
  for (uint32_t i = 0; i < a.vlen(); ++i) {
    std::string_view name = btf_.string(a.member(i).name_off);
    auto found = of_b.find(name);
    if (found == of_b.end() && !may_be_absent(name, a.member(i).type, of_b))
      return TypeDifference{fmt::format(".{}", name), a.member(i).type, 0, "", "no such attribute"};
    if (found == of_b.end()) continue;
    if (auto difference = compare_attributes(name, a.member(i).type, found->second))
      return difference;
  }
  if (declared_is_extern) return std::nullopt;
  for (auto [name, type] : of_b)
    if (!of_a.contains(name) && !may_be_absent(name, type, of_a))
      return TypeDifference{fmt::format(".{}", name), 0, type, "no such attribute", ""};
  return std::nullopt;
}

TypeComparer::Attributes TypeComparer::attributes_of(BtfType map) const {
  Attributes attributes;
  for (uint32_t i = 0; i < map.vlen(); ++i)
    attributes.emplace(btf_.string(map.member(i).name_off), map.member(i).type);
  return attributes;
}

/// Whether a map is the same without the attribute, given those of the other declaration.
bool TypeComparer::may_be_absent(std::string_view name, uint32_t type,
                                 const Attributes& other) const {
  if (agreement_ != Agreement::Shapes) return false;
  if (name == "map_extra") return true;
  auto number = number_of(type);
  if (!number) return false;
  if (name == "max_entries" || name == "map_flags" || name == "numa_node" || name == "pinning")
    return *number == 0;
  auto follows_from = [&](std::string_view source) {
    auto found = other.find(source);
    return found != other.end() && size_of_pointee(found->second) == *number;
  };
  if (name == "key_size") return follows_from("key");
  if (name != "value_size") return false;
  // The slots of what holds maps or programs are descriptors.
  return follows_from("value") || (other.contains("values") && *number == sizeof(int));
}

/// The number that an attribute is: the length of the array that it points to, or
/// the value of its enumerator.
std::optional<uint64_t> TypeComparer::number_of(uint32_t attribute) const {
  uint32_t id = strip(attribute);
  if (id == 0) return std::nullopt;
  BtfType type = btf_.type(id);
  if (is_enum(type.kind()) && type.vlen() == 1) return type.enumerator(0).value;
  if (type.kind() != BtfKind::Ptr) return std::nullopt;
  uint32_t target = strip(type.type());
  if (target == 0 || btf_.type(target).kind() != BtfKind::Array) return std::nullopt;
  return btf_.type(target).array_length();
}

/// Bytes; 0 for what has no size.
uint64_t TypeComparer::size_of(uint32_t id) const {
  uint64_t count = 1;
  for (uint32_t steps = 0; (id = strip(id)) != 0 && steps < btf_.end_id(); ++steps) {
    BtfType type = btf_.type(id);
    if (type.kind() == BtfKind::Ptr) return count * sizeof(uint64_t);
    bool has_size = type.kind() == BtfKind::Int || type.kind() == BtfKind::Float ||
                    is_composite(type.kind()) || is_enum(type.kind());
    if (has_size) return count * type.size();
    if (type.kind() != BtfKind::Array) return 0;
    count *= type.array_length();
    id = type.array_element_type();
  }
  return 0;
}

uint64_t TypeComparer::size_of_pointee(uint32_t id) const {
  id = strip(id);
  return id != 0 && btf_.type(id).kind() == BtfKind::Ptr ? size_of(btf_.type(id).type()) : 0;
}

/// What the elements of the array `values` point to, or 0.
uint32_t TypeComparer::element_of_values(uint32_t id) const {
  id = strip(id);
  if (id == 0 || btf_.type(id).kind() != BtfKind::Array) return 0;
  id = strip(btf_.type(id).array_element_type());
  return id != 0 && btf_.type(id).kind() == BtfKind::Ptr ? strip(btf_.type(id).type()) : 0;
}

/// Whether two arrays `values` hold maps or programs of one shape.
bool TypeComparer::hold_same_shape(uint32_t values_a, uint32_t values_b) {
  uint32_t a = element_of_values(values_a), b = element_of_values(values_b);
  if (a == 0 || b == 0) return a == b;
  if (btf_.type(a).kind() != btf_.type(b).kind()) return false;
  if (btf_.type(a).kind() == BtfKind::FuncProto) return true;
  if (is_in_inner_map_) return false;  // maps are not nested deeper
  is_in_inner_map_ = true;
  bool same = !compare_maps(a, b, false);
  is_in_inner_map_ = false;
  return same;
}

/// An attribute's value is in its type: a pointer to an array whose length is a
/// number, or to the type that is meant. `values` is an array of what the map
/// holds, whose length says nothing.
std::optional<TypeDifference> TypeComparer::compare_attributes(std::string_view name, uint32_t a,
                                                               uint32_t b) {
  std::string label = fmt::format(".{}", name);
  auto whole = [&](std::string note_a = {}, std::string note_b = {}) {
    return TypeDifference{label, a, b, std::move(note_a), std::move(note_b)};
  };
  uint32_t inner_a = strip(a), inner_b = strip(b);
  if (inner_a == inner_b) return std::nullopt;
  if (inner_a == 0 || inner_b == 0) return whole();
  if (agreement_ == Agreement::Shapes) {
    if (name == "map_extra") return std::nullopt;
    if (name == "values")
      return hold_same_shape(inner_a, inner_b) ? std::nullopt : std::optional(whole());
    bool is_type = name == "key" || name == "value";
    if (is_type && size_of_pointee(inner_a) != size_of_pointee(inner_b)) return whole();
  }
  BtfType type_a = btf_.type(inner_a), type_b = btf_.type(inner_b);
  if (type_a.kind() != type_b.kind()) return whole();
  // The enumerators of numbers are named for nothing but to be unlike.
  if (is_enum(type_a.kind()) && number_of(inner_a) && number_of(inner_a) == number_of(inner_b))
    return std::nullopt;
  if (type_a.kind() == BtfKind::Ptr) {
    inner_a = strip(type_a.type());
    inner_b = strip(type_b.type());
    if (inner_a != 0 && inner_b != 0 && btf_.type(inner_a).kind() == BtfKind::Array &&
        btf_.type(inner_b).kind() == BtfKind::Array &&
        btf_.type(inner_a).array_length() != btf_.type(inner_b).array_length())
      return whole(fmt::format("value {}", btf_.type(inner_a).array_length()),
                   fmt::format("value {}", btf_.type(inner_b).array_length()));
  } else if (name == "values" && type_a.kind() == BtfKind::Array) {
    inner_a = type_a.array_element_type();
    inner_b = type_b.array_element_type();
  }
  return walk({inner_a, inner_b, false, 0, label}, true);
}

}  // namespace bpflink
