// Matches types with classes that they may be of.
//
// A type is of a class if its words say what the class's key says, and what it refers to is what
// the key refers to. Where that is a type without class it is assumed to be of the class wanted,
// and stands in line to be compared. If the line ends without a difference all assumptions have
// held each other up, and the types are of these classes: a graph that looks the same wherever one
// goes is the same. At the first difference all that was assumed since the first type is taken
// back.
//
// Nothing here decides that a type is of no class: where it is not plain that it is of this one,
// the canonical keys decide.
#include <algorithm>
#include <cstring>

#include "dedup/classes/classifier.hpp"

namespace bpflink {

/// Whether a string of the input is the table's that is wanted.
inline bool Classifier::accept_string(uint32_t offset, uint32_t wanted) {
  bool is_plain = wanted != 0 && strings_[offset] == wanted;
  return is_plain || accept_other_string(offset, wanted);
}

/// As accept_string(), for strings that were not met before. To compare two strings takes less than
/// to find one in the table.
bool Classifier::accept_other_string(uint32_t offset, uint32_t wanted) {
  if (strings_[offset] != 0 || wanted == 0) return string(offset) == wanted;
  if (std::strcmp(text(offset), table_.strings().text(wanted)) != 0) return false;
  note_string(offset, wanted);
  return true;
}

/// Whether a type is what is wanted as far as is known, or can be assumed to be.
inline bool Classifier::accept(uint32_t id, Reference wanted) {
  if (id < types_.first_id()) return reference(id) == wanted;
  uint32_t known = class_of(id);
  if (is_class(known)) return table_.reference_to(known) == wanted;
  if ((wanted & anchor_bit) == 0) return known == 0 && assume(id, wanted);
  // An anchor that was met before?
  return (known ^ wanted) == (is_anchor_bit | anchor_bit) || accept_unassigned(id, wanted);
}

/// As accept(), for types that have no class yet and an anchor that is wanted.
bool Classifier::accept_unassigned(uint32_t id, Reference wanted) {
  if (class_of(id) != 0) return reference_to_unassigned(id) == wanted;
  uint32_t anchor = wanted & ~anchor_bit;
  const uint32_t* words = words_of(id);
  if (tag_space(words) != table_.anchor_space(anchor) ||
      !accept_string(words[0], table_.anchor_name(anchor)))
    return false;
  class_of(id) = is_anchor_bit | anchor;
  return true;
}

/// Gives a type a class, if others may have the same, to be compared with it later.
inline bool Classifier::assume(uint32_t id, uint32_t type_class) {
  if (type_class == 0 || table_.is_private(type_class)) return false;
  class_of(id) = type_class;
  assumed_.push_back({id, type_class});
  return true;
}

/// Compares elements of so many words, of which one may be a string offset and
/// one a type id.
template <int Words, int Name, int Type>
bool Classifier::accept_elements(const uint32_t* words, const uint32_t* key) {
  const uint32_t* end = words + common_words + size_t{vlen_of(words)} * Words;
  words += common_words;
  key += common_words;
  for (; words < end; words += Words, key += Words) {
    for (int w = 0; w < Words; ++w)
      if (w != Name && w != Type && words[w] != key[w]) return false;
    if (!accept_string(words[Name], key[Name])) return false;
    if constexpr (Type >= 0)
      if (!accept(words[Type], key[Type])) return false;
  }
  return true;
}

/// Whether the words of a type say what a key says.
inline bool Classifier::is_like(const uint32_t* words, const uint32_t* key) {
  if (words[1] != key[1] || !accept_string(words[0], key[0])) return false;
  switch (kind_of(words)) {
    case BtfKind::Ptr:
    case BtfKind::Typedef:
    case BtfKind::Volatile:
    case BtfKind::Const:
    case BtfKind::Restrict:
    case BtfKind::Func:
    case BtfKind::TypeTag:
      return accept(words[2], key[2]);
    case BtfKind::Struct:
    case BtfKind::Union:
      return words[2] == key[2] && accept_elements<3, 0, 1>(words, key);
    case BtfKind::FuncProto:
      return accept(words[2], key[2]) && accept_elements<2, 0, 1>(words, key);
    case BtfKind::Array:
      return words[2] == key[2] && words[5] == key[5] && accept(words[3], key[3]) &&
             accept(words[4], key[4]);
    case BtfKind::DeclTag:
      return words[3] == key[3] && accept(words[2], key[2]);
    case BtfKind::Int:
      return words[2] == key[2] && words[3] == key[3];
    case BtfKind::Fwd:
    case BtfKind::Float:
      return words[2] == key[2];
    case BtfKind::Enum:
      return words[2] == key[2] && accept_elements<2, 0, -1>(words, key);
    case BtfKind::Enum64:
      return words[2] == key[2] && accept_elements<3, 0, -1>(words, key);
    default:
      return false;  // objects are never equal
  }
}

/// Gives a type a class, and what it refers to classes with it, if it is of that one.
bool Classifier::match(uint32_t id, uint32_t type_class) {
  uint32_t before = class_of(id);
  class_of(id) = type_class;
  bool is_of_class = is_like(words_of(id), table_.key(type_class)) && confirm();
  if (!is_of_class)
    for (const Assumption& assumption : assumed_) class_of(assumption.id) = 0;
  assumed_.clear();
  if (is_of_class) return true;
  class_of(id) = before;
  return false;
}

/// Compares what was assumed to be equal. What is compared in vain must not add
/// up to more than a few times the input, however that was made.
bool Classifier::confirm() {
  if (!assumed_.empty() && patience_ == 0) return false;
  size_t compared = 0;
  for (size_t i = 0; i < assumed_.size(); ++i) {
    auto [id, type_class] = assumed_[i];
    std::span<const uint32_t> key = table_.words(type_class);
    compared += key.size();
    if (is_like(words_of(id), key.data())) continue;
    patience_ -= std::min(patience_, compared);
    return false;
  }
  return true;
}

/// What a reference says, as far as it can be told at once: what is referred to,
/// or how that begins.
uint64_t Classifier::summarize_reference(uint32_t id) {
  Reference known = reference(id);
  if (known != unknown_reference || id < types_.first_id()) return known;
  const uint32_t* words = words_of(id);
  return uint64_t{words[1]} << 32 | string(words[0]);
}

/// A hash of what a type says, as far as that can be told without following what
/// it refers to.
uint32_t Classifier::summarize(std::span<const uint32_t> words) {
  auto mix = [](uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  };
  uint64_t hash = mix(0, string(words[0]) | uint64_t{words[1]} << 32);
  KindLayout layout = kind_layout(kind_of(words.data()));
  hash = mix(hash, layout.refers ? summarize_reference(words[2]) : words[2]);
  if (words[0] == 0 && words.size() > common_words) {
    if (kind_of(words.data()) == BtfKind::Array)
      hash = mix(mix(hash, summarize_reference(words[3])), words[5]);
    // Two elements tell enough of what has no name.
    size_t end = std::min<size_t>(words.size(), common_words + 2 * layout.element_words);
    for (size_t i = common_words; i < end && layout.element_name >= 0; i += layout.element_words) {
      hash = mix(hash, string(words[i + layout.element_name]));
      if (layout.element_type >= 0)
        hash = mix(hash, summarize_reference(words[i + layout.element_type]));
    }
  }
  return static_cast<uint32_t>(hash);
}

/// Matches a type with the class of the last one that says the same as far as can be told at once.
bool Classifier::match_with_cache(Frame& frame) {
  frame.summary = summarize(types_.words_of(frame.id));
  uint32_t cached = match_cache_[frame.summary & (match_cache_.size() - 1)];
  return cached != 0 && match(frame.id, cached);
}

}  // namespace bpflink
