#include "linker/passes/type_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "dedup/internal.hpp"

namespace bpflink {
namespace {

/// BTF_INT_CHAR: compilers differ on whether `char` has it.
constexpr uint32_t int_char_bit = 1u << 25;

bool is_transparent(uint8_t kind) {
  return kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_CONST || kind == BTF_KIND_VOLATILE ||
         kind == BTF_KIND_RESTRICT || kind == BTF_KIND_TYPE_TAG;
}

bool is_composite(uint8_t kind) {
  return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}
bool is_enum(uint8_t kind) {
  return kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64;
}

/// The kind that a tag of C declares: a FWD is a struct, or with kind_flag a
/// union, of which no more is known.
uint8_t tag_kind(BtfType type) {
  if (type.kind() == BTF_KIND_FWD) return type.kind_flag() ? BTF_KIND_UNION : BTF_KIND_STRUCT;
  return type.kind();
}

std::string count_note(uint32_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string bytes_note(uint32_t bytes) {
  return count_note(bytes, "byte");
}

std::string offset_note(BtfType type, uint32_t member) {
  uint32_t bits = type.member_bit_offset(member), width = type.member_bitfield_size(member);
  if (width != 0) return fmt::format("{} bits at bit {}", width, bits);
  return bits % 8 == 0 ? fmt::format("at byte {}", bits / 8) : fmt::format("at bit {}", bits);
}

}  // namespace

/// What is behind typedefs, qualifiers and tags. Bounded by the number of types,
/// should they form a circle.
uint32_t TypeComparer::strip(uint32_t id) const {
  for (uint32_t steps = 0; id != 0 && steps < btf_.end_id(); ++steps) {
    BtfType type = btf_.type(id);
    if (!is_transparent(type.kind())) break;
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
  if (a.kind() == BTF_KIND_FWD || b.kind() == BTF_KIND_FWD)
    return (tag_kind(a) == tag_kind(b) && btf_.name(a) == btf_.name(b)) || differ(pair);
  if (is_enum(a.kind()) && is_enum(b.kind())) return compare_enums(pair, a, b);
  if (a.kind() != b.kind()) return differ(pair);
  switch (a.kind()) {
    case BTF_KIND_INT:
      if (a.size() == b.size() && (a.int_data() & ~int_char_bit) == (b.int_data() & ~int_char_bit))
        return true;
      return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    case BTF_KIND_FLOAT:
      return a.size() == b.size() || differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    case BTF_KIND_PTR:
      follow(a.type(), b.type(), true, "->");
      return true;
    case BTF_KIND_ARRAY: {
      bool open = !exact_lengths && (a.array_length() == 0 || b.array_length() == 0);
      if (a.array_length() != b.array_length() && !open) return differ(pair);
      follow(a.array_element_type(), b.array_element_type(), pair.behind_pointer, "[]");
      return true;
    }
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return compare_structs(pair, a, b);
    case BTF_KIND_FUNC_PROTO:
      if (a.vlen() != b.vlen()) return differ(pair);
      follow(a.type(), b.type(), false, " (return value)");
      for (uint32_t i = 0; i < a.vlen(); ++i)
        follow(a.param(i).type, b.param(i).type, false, fmt::format(" (parameter {})", i + 1));
      return true;
    case BTF_KIND_FUNC:
      follow(a.type(), b.type(), false, "");
      return btf_.name(a) == btf_.name(b) || differ(pair);
    default:
      return differ(pair);
  }
}

bool TypeComparer::compare_structs(const Pair& pair, BtfType a, BtfType b) {
  if (btf_.name(a) != btf_.name(b)) return differ(pair);
  if (pair.behind_pointer && !btf_.name(a).empty()) return true;
  for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i) {
    BtfMember of_a = a.member(i), of_b = b.member(i);
    std::string_view name = btf_.string(of_a.name_off);
    std::string label = fmt::format(".{}", name);
    bool same_name = name == btf_.string(of_b.name_off);
    if (!same_name || a.member_bit_offset(i) != b.member_bit_offset(i) ||
        a.member_bitfield_size(i) != b.member_bitfield_size(i)) {
      std::string other = same_name ? "" : fmt::format("named '{}', ", btf_.string(of_b.name_off));
      return differ_at(label, of_a.type, of_b.type, offset_note(a, i), other + offset_note(b, i));
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
  return a.size() == b.size() || differ(pair, bytes_note(a.size()), bytes_note(b.size()));
}

bool TypeComparer::compare_enums(const Pair& pair, BtfType a, BtfType b) {
  if (btf_.name(a) != btf_.name(b)) return differ(pair);
  if (a.vlen() == 0 || b.vlen() == 0) return true;  // one is a forward declaration
  if (a.kind() != b.kind() || a.size() != b.size())
    return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
  auto entry = [&](BtfType type, uint32_t i) -> std::pair<std::string_view, uint64_t> {
    if (type.kind() == BTF_KIND_ENUM)
      return {btf_.string(type.enumerator(i).name_off), type.enumerator(i).value};
    return {btf_.string(type.enumerator64(i).name_off), type.enumerator64(i).value};
  };
  auto note = [&](BtfType type, uint32_t i) {
    return fmt::format("{} = {}", entry(type, i).first, enumerator_value(type, i));
  };
  for (uint32_t i = 0; i < std::min(a.vlen(), b.vlen()); ++i)
    if (entry(a, i) != entry(b, i)) return differ(pair, note(a, i), note(b, i));
  return a.vlen() == b.vlen() ||
         differ(pair, count_note(a.vlen(), "enumerator"), count_note(b.vlen(), "enumerator"));
}

std::optional<TypeDifference> TypeComparer::compare_maps(uint32_t declared, uint32_t defined,
                                                         bool declared_is_extern) {
  declared = strip(declared);
  defined = strip(defined);
  if (declared == defined) return std::nullopt;
  if (declared == 0 || defined == 0) return TypeDifference{"", declared, defined, "", ""};
  BtfType a = btf_.type(declared), b = btf_.type(defined);
  if (!is_composite(a.kind()) || a.kind() != b.kind()) return compare(declared, defined);

  std::map<std::string_view, uint32_t> attributes;
  for (uint32_t i = 0; i < b.vlen(); ++i)
    attributes.emplace(btf_.string(b.member(i).name_off), b.member(i).type);
  for (uint32_t i = 0; i < a.vlen(); ++i) {
    std::string_view name = btf_.string(a.member(i).name_off);
    auto found = attributes.find(name);
    if (found == attributes.end())
      return TypeDifference{fmt::format(".{}", name), a.member(i).type, 0, "", "no such attribute"};
    if (auto difference = compare_attributes(name, a.member(i).type, found->second))
      return difference;
    attributes.erase(found);
  }
  if (declared_is_extern || attributes.empty()) return std::nullopt;
  auto [name, type] = *attributes.begin();
  return TypeDifference{fmt::format(".{}", name), 0, type, "no such attribute", ""};
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
  BtfType type_a = btf_.type(inner_a), type_b = btf_.type(inner_b);
  if (type_a.kind() != type_b.kind()) return whole();
  if (type_a.kind() == BTF_KIND_PTR) {
    inner_a = strip(type_a.type());
    inner_b = strip(type_b.type());
    if (inner_a != 0 && inner_b != 0 && btf_.type(inner_a).kind() == BTF_KIND_ARRAY &&
        btf_.type(inner_b).kind() == BTF_KIND_ARRAY &&
        btf_.type(inner_a).array_length() != btf_.type(inner_b).array_length())
      return whole(fmt::format("value {}", btf_.type(inner_a).array_length()),
                   fmt::format("value {}", btf_.type(inner_b).array_length()));
  } else if (name == "values" && type_a.kind() == BTF_KIND_ARRAY) {
    inner_a = type_a.array_element_type();
    inner_b = type_b.array_element_type();
  }
  return walk({inner_a, inner_b, false, 0, label}, true);
}

}  // namespace bpflink
