#include "dedup/classes/matcher.hpp"

#include <algorithm>

namespace bpflink {

/// Whether a type is what a key refers to, or can be assumed to be.
inline bool Matcher::matches_reference(uint32_t id, Reference wanted) {
  if (id < input_.types.first_id()) return input_.reference(id) == wanted;
  uint32_t known = input_.class_of(id);
  if (is_class(known)) return table_.reference_to(known) == wanted;
  if ((wanted & anchor_bit) == 0) return known == 0 && assume(id, wanted);
  // Fast path: an anchor that is noted already.
  return (known ^ wanted) == (is_anchor_bit | anchor_bit) || matches_anchor(id, wanted);
}

/// The same for a type without a class, if the key refers to an anchor.
bool Matcher::matches_anchor(uint32_t id, Reference wanted) {
  if (input_.class_of(id) != 0) return input_.reference_without_class(id) == wanted;
  uint32_t anchor = wanted & ~anchor_bit;
  const uint32_t* words = input_.words_of(id);
  if (tag_space(words) != table_.anchor_space(anchor) ||
      !input_.has_string(words[0], table_.anchor_name(anchor)))
    return false;
  input_.class_of(id) = is_anchor_bit | anchor;
  return true;
}

/// Gives a type a class and queues it for comparison, unless the class is private.
inline bool Matcher::assume(uint32_t id, uint32_t type_class) {
  if (type_class == 0 || table_.is_private(type_class)) return false;
  input_.class_of(id) = type_class;
  assumed_.push_back({id, type_class});
  return true;
}

/// Compares elements of `Words` words, in which word `Name` is a string offset and word `Type`, if
/// not -1, a type id.
template <int Words, int Name, int Type>
bool Matcher::matches_elements(const uint32_t* words, const uint32_t* key) {
  const uint32_t* end = words + common_words + size_t{vlen_of(words)} * Words;
  words += common_words;
  key += common_words;
  for (; words < end; words += Words, key += Words) {
    for (int w = 0; w < Words; ++w)
      if (w != Name && w != Type && words[w] != key[w]) return false;
    if (!input_.has_string(words[Name], key[Name])) return false;
    if constexpr (Type >= 0)
      if (!matches_reference(words[Type], key[Type])) return false;
  }
  return true;
}

/// Whether the words of a type match a key.
inline bool Matcher::matches_words(const uint32_t* words, const uint32_t* key) {
  if (words[1] != key[1] || !input_.has_string(words[0], key[0])) return false;
  switch (kind_of(words)) {
    case BtfKind::Ptr:
    case BtfKind::Typedef:
    case BtfKind::Volatile:
    case BtfKind::Const:
    case BtfKind::Restrict:
    case BtfKind::Func:
    case BtfKind::TypeTag:
      return matches_reference(words[2], key[2]);
    case BtfKind::Struct:
    case BtfKind::Union:
      return words[2] == key[2] && matches_elements<3, 0, 1>(words, key);
    case BtfKind::FuncProto:
      return matches_reference(words[2], key[2]) && matches_elements<2, 0, 1>(words, key);
    case BtfKind::Array:
      return words[2] == key[2] && words[5] == key[5] && matches_reference(words[3], key[3]) &&
             matches_reference(words[4], key[4]);
    case BtfKind::DeclTag:
      return words[3] == key[3] && matches_reference(words[2], key[2]);
    case BtfKind::Int:
      return words[2] == key[2] && words[3] == key[3];
    case BtfKind::Fwd:
    case BtfKind::Float:
      return words[2] == key[2];
    case BtfKind::Enum:
      return words[2] == key[2] && matches_elements<2, 0, -1>(words, key);
    case BtfKind::Enum64:
      return words[2] == key[2] && matches_elements<3, 0, -1>(words, key);
    default:
      return false;  // objects are never equal
  }
}

bool Matcher::match(uint32_t id, uint32_t type_class) {
  uint32_t before = input_.class_of(id);
  input_.class_of(id) = type_class;
  bool is_of_class =
      matches_words(input_.words_of(id), table_.key(type_class)) && check_assumptions();
  if (!is_of_class)
    for (const Assumption& assumption : assumed_) input_.class_of(assumption.id) = 0;
  assumed_.clear();
  if (is_of_class) return true;
  input_.class_of(id) = before;
  return false;
}

/// Compares the queued types. The budget keeps failed comparisons to a few times the size of the
/// input, even a hostile one.
bool Matcher::check_assumptions() {
  if (!assumed_.empty() && compare_budget_ == 0) return false;
  size_t compared = 0;
  for (size_t i = 0; i < assumed_.size(); ++i) {
    auto [id, type_class] = assumed_[i];
    std::span<const uint32_t> key = table_.words(type_class);
    compared += key.size();
    if (matches_words(input_.words_of(id), key.data())) continue;
    compare_budget_ -= std::min(compare_budget_, compared);
    return false;
  }
  return true;
}

}  // namespace bpflink
