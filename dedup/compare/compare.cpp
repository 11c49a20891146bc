// The walk over two types, the comparison of each kind, and paths of differences. Layouts are in
// compare_layouts.cpp.
#include "dedup/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bpflink/btf_query.hpp"
#include "dedup/compare/name_words.hpp"
#include "dedup/compare/type_text.hpp"
#include "dedup/format/kinds.hpp"
#include "dedup/messages.hpp"

namespace bpflink {

namespace {

std::string member_label(const BtfView& types, BtfType type, uint32_t i) {
  std::string_view name = types.string(type.member(i).name_off);
  return name.empty() ? std::string() : fmt::format(".{}", name);
}

/// Appends a label to a path, behind `pointers` pointers to follow.
void append_label(std::string& path, size_t pointers, std::string_view label) {
  bool is_member = label.starts_with('.');
  // `->` and calls dereference one pointer.
  size_t stars = pointers != 0 && !label.starts_with('[') ? pointers - 1 : pointers;
  if (stars != 0) path = fmt::format("({}{})", std::string(stars, '*'), path);
  if (is_member && pointers != 0) {
    path += "->";
    label.remove_prefix(1);
  }
  path += label;
}

std::string position_of_member(BtfType type, uint32_t i) {
  return offset_note(type.member_bit_offset(i), type.member_bitfield_size(i));
}

std::string_view linkage_note(BtfLinkage linkage) {
  switch (linkage) {
    case BtfLinkage::Static:
      return "static";
    case BtfLinkage::Global:
      return "global";
    case BtfLinkage::Extern:
      return "extern";
  }
  return "of unknown linkage";
}

/// The properties of a type other than its name and references.
std::string words_note(BtfType type) {
  BtfKind kind = type.kind();
  if (kind == BtfKind::Int) {
    std::string bits = count_of(type.int_bits(), "bit");
    if (type.int_offset() != 0) bits += fmt::format(" from bit {}", type.int_offset());
    return fmt::format("{}, encoding {}, {}", bytes_note(type.size()), type.int_encoding(), bits);
  }
  if (kind == BtfKind::Func) return std::string(linkage_note(type.func_linkage()));
  if (kind == BtfKind::Var) return std::string(linkage_note(type.var_linkage()));
  if (kind == BtfKind::DeclTag) return fmt::format("of component {}", type.component_idx());
  if (kind == BtfKind::Datasec) return count_of(type.vlen(), "variable");
  return type.kind_flag() ? "with the kind flag" : "without the kind flag";
}

}  // namespace

void TypeComparison::begin(uint32_t a, uint32_t b, std::string_view path) {
  current_ = no_parent;
  add_pair(a, b, std::string(path), false);
}

std::optional<TypeDifference> TypeComparison::next() {
  while (next_ < pairs_.size() && work_ < max_work) {
    current_ = next_++;
    ++work_;
    if (auto difference = compare(pairs_[current_])) return difference;
  }
  return std::nullopt;
}

void TypeComparison::add_pair(uint32_t a, uint32_t b, std::string label, bool behind_pointer,
                              Named owner) {
  uint32_t below_a = a, below_b = b;
  if (!is(ComparePolicy::Identical)) {
    below_a = skip_modifiers(a_, a);
    below_b = skip_modifiers(b_, b);
  }
  if (is_one_view_ && below_a == below_b) return;
  if (is(ComparePolicy::Layout)) {
    if (below_a == 0 || below_b == 0 || is_settled(below_a, below_b)) return;
    if (is_composite(a_.kind(below_a)) || is_enum(a_.kind(below_a))) owner = name_of(a, b, owner);
  }
  auto& seen = behind_pointer ? seen_behind_pointer_ : seen_;
  if (!seen.insert(uint64_t{below_a} << 32 | below_b).second) return;
  bool in_prototype = current_ != no_parent && (pairs_[current_].in_prototype ||
                                                a_.kind(pairs_[current_].a) == BtfKind::FuncProto);
  pairs_.push_back(
      {below_a, below_b, current_, std::move(label), behind_pointer, in_prototype, owner});
}

TypeComparison::Found TypeComparison::compare(const Pair& pair) {
  if (pair.a == 0 || pair.b == 0) return differ(pair);
  BtfType a = a_.type(pair.a), b = b_.type(pair.b);
  if (is(ComparePolicy::Layout)) return compare_layouts(pair, a, b);
  bool is_identical = is(ComparePolicy::Identical);
  if (is_identical && (a.kind() != b.kind() || a_.name(a) != b_.name(b))) return differ(pair);
  if (tag_space(a) != TagSpace::None && tag_space(b) != TagSpace::None)
    return compare_tags(pair, a, b);
  if (a.kind() != b.kind()) return differ(pair);
  switch (kind_class(a.kind())) {
    case KindClass::Integer: {
      if (is_identical) return compare_words(pair, a, b);
      bool is_alike = is(ComparePolicy::LibbpfCompatible) ||
                      ((a.int_data() ^ b.int_data()) & ~(btf_int_char << 24)) == 0;
      if (is_alike && a.size() == b.size()) return std::nullopt;
      return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    }
    case KindClass::Floating:
      if (a.size() == b.size()) return std::nullopt;
      return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
    case KindClass::Pointer:
      if (is(ComparePolicy::CCompatible) && !pair.in_prototype)
        if (auto difference = compare_type_tags(pair, pair.a, pair.b, "")) return difference;
      add_pair(a.type(), b.type(), "->", true);
      return std::nullopt;
    case KindClass::Array: {
      bool is_open =
          is(ComparePolicy::LibbpfCompatible) ||
          (is(ComparePolicy::CCompatible) && (a.array_length() == 0 || b.array_length() == 0));
      if (a.array_length() != b.array_length() && !is_open) return differ(pair);
      add_pair(a.array_element_type(), b.array_element_type(), "[]", pair.behind_pointer);
      if (is_identical) add_pair(a.array_index_type(), b.array_index_type(), " (index)", false);
      return std::nullopt;
    }
    case KindClass::Prototype:
      return compare_prototypes(pair, a, b);
    case KindClass::Function:
      if (is_identical) return compare_words(pair, a, b);
      if (a_.name(a) != b_.name(b)) return differ(pair);
      add_pair(a.type(), b.type(), "", false);
      return std::nullopt;
    case KindClass::None:
    case KindClass::Record:  // what has tags was compared above
    case KindClass::Enumeration:
    case KindClass::Declaration:
    case KindClass::Modifier:  // followed, unless types are to be identical
    case KindClass::Variable:
    case KindClass::Section:
    case KindClass::Tag:
      break;
  }
  return is_identical ? compare_words(pair, a, b) : differ(pair);
}

TypeComparison::Found TypeComparison::compare_tags(const Pair& pair, BtfType a, BtfType b) {
  if (tag_space(a) != tag_space(b) || a_.name(a) != b_.name(b)) return differ(pair);
  if (is(ComparePolicy::Identical)) {
    if (a.kind() == BtfKind::Fwd) return compare_words(pair, a, b);
  } else if (is_declaration(a) || is_declaration(b)) {
    return std::nullopt;
  }
  return is_enum(a.kind()) ? compare_enums(pair, a, b) : compare_records(pair, a, b);
}

TypeComparison::Found TypeComparison::compare_records(const Pair& pair, BtfType a, BtfType b) {
  bool is_identical = is(ComparePolicy::Identical), as_libbpf = is(ComparePolicy::LibbpfCompatible);
  if (!is_identical && pair.behind_pointer && (as_libbpf || !a_.name(a).empty()))
    return std::nullopt;
  uint32_t common = std::min(a.vlen(), b.vlen());
  work_ += common;
  // A member that has another size moves the members after it, so it is the better difference.
  auto find_resized = [&](uint32_t end) -> Found {
    constexpr uint32_t max_sized = 1 << 12;  // each size may take a walk; few structs have as many
    for (uint32_t i = 0; i < std::min(end, max_sized); ++i) {
      auto size_a = type_size(a_, a.member(i).type), size_b = type_size(b_, b.member(i).type);
      if (size_a != size_b)
        return differ_at_member(pair, i, bytes_note(size_a.value_or(0)),
                                bytes_note(size_b.value_or(0)));
    }
    return std::nullopt;
  };
  for (uint32_t i = 0; i < common; ++i) {
    std::string_view name = a_.string(a.member(i).name_off);
    std::string_view other = b_.string(b.member(i).name_off);
    bool has_moved = a.member_bit_offset(i) != b.member_bit_offset(i) ||
                     a.member_bitfield_size(i) != b.member_bitfield_size(i);
    bool may_differ =
        as_libbpf && !has_moved &&
        (a.member_bitfield_size(i) != 0 || (names_padding(name) && names_padding(other)));
    if (name != other && !may_differ)
      return differ_at_member(pair, i, position_of_member(a, i),
                              fmt::format("named '{}', {}", other, position_of_member(b, i)));
    if (auto resized = has_moved ? find_resized(i) : std::nullopt) return resized;
    if (has_moved)
      return differ_at_member(pair, i, position_of_member(a, i), position_of_member(b, i));
    add_pair(a.member(i).type, b.member(i).type, member_label(a_, a, i),
             !is_identical && pair.behind_pointer);
  }
  if (a.vlen() != b.vlen()) {
    if (auto resized = find_resized(common)) return resized;
    return differ_at_member(pair, common, a.vlen() > common ? "" : "no such member",
                            b.vlen() > common ? "" : "no such member");
  }
  if (!as_libbpf && a.size() != b.size())
    return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
  return is_identical && a.info() != b.info() ? compare_words(pair, a, b) : std::nullopt;
}

TypeComparison::Found TypeComparison::compare_enums(const Pair& pair, BtfType a, BtfType b) {
  if (a.kind() != b.kind() || a.size() != b.size())
    return differ(pair, bytes_note(a.size()), bytes_note(b.size()));
  if (is(ComparePolicy::LibbpfCompatible)) return std::nullopt;
  uint32_t common = std::min(a.vlen(), b.vlen());
  work_ += common;
  for (uint32_t i = 0; i < common; ++i) {
    BtfEnumerator x = a.enumerator(i), y = b.enumerator(i);
    if (a_.string(x.name_off) != b_.string(y.name_off) || x.value != y.value)
      return differ(pair, enumerator_note(a_, a, i), enumerator_note(b_, b, i),
                    static_cast<int32_t>(i));
  }
  if (a.vlen() != b.vlen())
    return differ(pair, count_of(a.vlen(), "enumerator"), count_of(b.vlen(), "enumerator"));
  if (!is(ComparePolicy::Identical) || a.info() == b.info()) return std::nullopt;
  return differ(pair, a.kind_flag() ? "signed" : "unsigned", b.kind_flag() ? "signed" : "unsigned");
}

TypeComparison::Found TypeComparison::compare_prototypes(const Pair& pair, BtfType a, BtfType b) {
  if (a.vlen() != b.vlen()) return differ(pair);
  bool behind_pointer = is(ComparePolicy::LibbpfCompatible) && pair.behind_pointer;
  work_ += a.vlen();
  add_pair(a.type(), b.type(), " (return value)", behind_pointer);
  for (uint32_t i = 0; i < a.vlen(); ++i) {
    std::string label = parameter_label(i);
    std::string_view name = a_.string(a.param(i).name_off), other = b_.string(b.param(i).name_off);
    if (is(ComparePolicy::Identical) && name != other) {
      auto difference =
          differ(pair, fmt::format("named '{}'", name), fmt::format("named '{}'", other));
      difference->member = label;
      difference->a.type = a.param(i).type;
      difference->b.type = b.param(i).type;
      return difference;
    }
    add_pair(a.param(i).type, b.param(i).type, std::move(label), behind_pointer);
  }
  return std::nullopt;
}

/// Compares the type tags of two pointers.
TypeComparison::Found TypeComparison::compare_type_tags(const Pair& pair, uint32_t a, uint32_t b,
                                                        std::string member) const {
  std::string tags_a = pointer_tags(a_, a), tags_b = pointer_tags(b_, b);
  if (tags_a == tags_b) return std::nullopt;
  auto note = [](std::string_view tags) {
    return tags.empty() ? "without a type tag" : fmt::format("tagged '{}'", tags);
  };
  return TypeDifference{path_to(current_),
                        std::move(member),
                        {a, note(tags_a), pair.a},
                        {b, note(tags_b), pair.b},
                        true};
}

/// Compares all words but the name and references, which are compared next.
TypeComparison::Found TypeComparison::compare_words(const Pair& pair, BtfType a, BtfType b) {
  std::vector<uint32_t> numbers[2], references[2];
  for (int side : {0, 1}) {
    std::span<const uint32_t> words = (side == 0 ? a : b).words();
    for_each_word(words, kind_words(kind_of(words.data())).numbers,
                  [&](uint32_t number) { numbers[side].push_back(number); });
    for_each_reference(words, [&](uint32_t id) { references[side].push_back(id); });
  }
  bool is_alike = is_known(a.kind())
                      ? numbers[0] == numbers[1]
                      : std::ranges::equal(a.words().subspan(2), b.words().subspan(2));
  if (a.info() != b.info() || !is_alike) return differ(pair, words_note(a), words_note(b));
  for (size_t i = 0; i < references[0].size(); ++i)
    add_pair(references[0][i], references[1][i], "", pair.behind_pointer);
  return std::nullopt;
}

/// The difference of a pair as a whole. Without notes, the pointer to the pair is reported instead:
/// `int *` and `long *`, not `int` and `long`.
TypeComparison::Found TypeComparison::differ(const Pair& pair, std::string note_a,
                                             std::string note_b, int32_t member) const {
  size_t at = current_;
  auto is_pointee = [&] { return pairs_[at].parent != no_parent && pairs_[at].label == "->"; };
  if (note_a.empty() && note_b.empty()) {
    auto is_below_qualifier = [&] {
      size_t parent = pairs_[at].parent;
      return parent != no_parent && pairs_[at].label.empty() &&
             is_qualifier(a_.kind(pairs_[parent].a));
    };
    while (is_below_qualifier()) at = pairs_[at].parent;
    at = is_pointee() ? pairs_[at].parent : current_;
  }
  return TypeDifference{path_to(at),
                        "",
                        {pairs_[at].a, std::move(note_a), pair.a, member},
                        {pairs_[at].b, std::move(note_b), pair.b, member}};
}

/// The difference of the i-th members, one of which may be missing.
TypeComparison::Found TypeComparison::differ_at_member(const Pair& pair, uint32_t i,
                                                       std::string note_a,
                                                       std::string note_b) const {
  BtfType a = a_.type(pair.a), b = b_.type(pair.b);
  auto side = [&](BtfType type, uint32_t definition, std::string note) {
    bool is_there = i < type.vlen();
    return DifferenceSide{is_there ? type.member(i).type : 0, std::move(note), definition,
                          is_there ? static_cast<int32_t>(i) : -1};
  };
  return TypeDifference{path_to(current_),
                        i < a.vlen() ? member_label(a_, a, i) : member_label(b_, b, i),
                        side(a, pair.a, std::move(note_a)), side(b, pair.b, std::move(note_b))};
}

/// The path to a pair as a C expression: `*p` is what `p` points to, `p->m` a member of that. A
/// function pointer is called without `*`.
std::string TypeComparison::path_to(size_t at) const {
  std::vector<std::string_view> labels;
  for (; at != no_parent; at = pairs_[at].parent)
    if (!pairs_[at].label.empty() || pairs_[at].parent == no_parent)
      labels.push_back(pairs_[at].label);
  std::string path(labels.back());
  labels.pop_back();
  // Longer paths occur only in hostile input.
  constexpr size_t longest = 64;
  if (labels.size() > longest) {
    labels.resize(longest);
    path += "...";
  }
  bool begins_behind_pointer = path.ends_with("->");
  if (begins_behind_pointer) path.resize(path.size() - 2);
  size_t pointers = begins_behind_pointer ? 1 : 0;
  for (; !labels.empty(); labels.pop_back()) {
    std::string_view label = labels.back();
    begins_behind_pointer = false;
    if (label == "->")
      ++pointers;
    else
      append_label(path, std::exchange(pointers, 0), label);
  }
  // Layouts and attributes of maps are named by the pointer, not by `*` of it.
  if (begins_behind_pointer || is(ComparePolicy::Layout)) return path;
  return std::string(pointers, '*') + path;
}

std::string TypeDifference::place() const {
  if (member.empty() || !path.starts_with('*')) return path + member;
  std::string place = path;
  size_t pointers = place.find_first_not_of('*');
  place.erase(0, pointers);
  append_label(place, pointers, member);
  return place;
}

}  // namespace bpflink
