// Compares types with types before them that they may be equal to, which are
// called their models.
//
// Two types are equal if their words are, and what they refer to is equal in
// turn. Where that is a type without class it is assumed to be equal to what the
// model refers to, gets its class, and stands in line to be compared. If the
// line ends without a difference all assumptions have held each other up, and
// the types are equal: a graph that looks the same wherever one goes is the
// same. At the first difference all that was assumed since the first type is
// taken back.
//
// Nothing here decides that two types differ: where it is not plain that they
// are equal, the canonical forms decide.
#include <algorithm>
#include <utility>

#include "dedup/canonicalize.hpp"

namespace bpflink {

namespace {

/// How many guesses are kept, a power of two, and for how many types it is worth it.
constexpr size_t guess_count = 1 << 16;
constexpr size_t least_types_to_guess = 1 << 12;

/// How many words ahead to ask the memory for: more than a unit has, as types
/// refer to others all over it.
constexpr size_t prefetch_distance = 1 << 14;

/// Whether two types that begin alike are equal, for kinds that refer to nothing.
bool have_same_words(const uint32_t* words, const uint32_t* others) {
  KindShape shape = kind_shape(kind_of(words));
  size_t size = common_words + shape.fixed_words + size_t{vlen_of(words)} * shape.element_words;
  return std::equal(words + 2, words + size, others + 2);
}

}  // namespace

/// Whether a type can be compared with a model.
bool Canonicalizer::is_model(uint32_t model, uint32_t id) {
  return model != 0 && model < id && is_class(class_of(model));
}

/// Whether two types are equal as far as is known, or can be assumed to be.
inline bool Canonicalizer::accept(uint32_t id, uint32_t model) {
  if (id == model) return true;
  if (id < first_id_ || model < first_id_) return reference(id) == reference(model);
  uint32_t known = class_of(id);
  return (known == class_of(model) && is_class(known)) || accept_unequal(id, model);
}

/// As accept(), for types that are not already of the same class.
bool Canonicalizer::accept_unequal(uint32_t id, uint32_t model) {
  Reference wanted = reference(model);
  if (wanted == unknown_reference) return false;
  if (class_of(id) != 0) return reference(id) == wanted;
  const uint32_t* words = words_of(id);
  const uint32_t* others = words_of(model);
  if ((wanted & anchor_bit) == 0) {
    if (words[0] != others[0] || words[1] != others[1]) return false;
    class_of(id) = class_of(model);
    assumed_.push_back({id, model});
    return true;
  }
  if (words[0] != others[0] || tag_space(words) != tag_space(others))
    return reference(id) == wanted;
  class_of(id) = is_anchor_bit | (wanted & ~anchor_bit);
  return true;
}

template <int Words, int Name, int Type>
inline bool Canonicalizer::accept_elements(const uint32_t* words, const uint32_t* others) {
  const uint32_t* end = words + common_words + size_t{vlen_of(words)} * Words;
  words += common_words;
  others += common_words;
  for (; words < end; words += Words, others += Words) {
    for (int w = 0; w < Words; ++w)
      if (w != Type && words[w] != others[w]) return false;
    if (!accept(words[Type], others[Type])) return false;
  }
  return true;
}

/// Whether the words of two types say the same.
inline bool Canonicalizer::is_like(const uint32_t* words, const uint32_t* others) {
  if (words[0] != others[0] || words[1] != others[1]) return false;
  switch (kind_of(words)) {
    case BTF_KIND_PTR:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_TYPE_TAG:
      return accept(words[2], others[2]);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
      return words[2] == others[2] && accept_elements<3, 0, 1>(words, others);
    case BTF_KIND_FUNC_PROTO:
      return accept(words[2], others[2]) && accept_elements<2, 0, 1>(words, others);
    case BTF_KIND_ARRAY:
      return words[2] == others[2] && words[5] == others[5] && accept(words[3], others[3]) &&
             accept(words[4], others[4]);
    case BTF_KIND_DECL_TAG:
      return words[3] == others[3] && accept(words[2], others[2]);
    case BTF_KIND_INT:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
    case BTF_KIND_FWD:
    case BTF_KIND_FLOAT:
      return have_same_words(words, others);
    default:
      return false;  // objects are never equal
  }
}

/// Gives a type the class of a model, and with it what it refers to, if the two
/// are equal.
inline bool Canonicalizer::unify(uint32_t id, uint32_t model) {
  uint32_t before = class_of(id);
  class_of(id) = class_of(model);
  if (is_like(words_of(id), words_of(model)) && (assumed_.empty() || confirm())) return true;
  for (auto [assumed, other] : assumed_) class_of(assumed) = 0;
  assumed_.clear();
  class_of(id) = before;
  return false;
}

/// Compares what was assumed to be equal. What is compared in vain must not add
/// up to more than a few times the input, however that was made.
bool Canonicalizer::confirm() {
  if (patience_ == 0) return false;
  size_t compared = 0;
  for (size_t i = 0; i < assumed_.size(); ++i) {
    auto [id, model] = assumed_[i];
    compared += types_->at(id).words().size();
    if (is_like(words_of(id), words_of(model))) continue;
    patience_ -= std::min(patience_, compared);
    return false;
  }
  assumed_.clear();
  return true;
}

/// Asks the memory for what will be read some time after a type.
inline void Canonicalizer::prefetch(uint32_t id) const {
  size_t at = types_->starts[id - first_id_] + prefetch_distance;
  if (at < types_->words.size()) __builtin_prefetch(&types_->words[at]);
}

/// Gives the types from `id` on their classes as long as they are like those
/// from `model` on. Returns the first that is not, or `end`.
uint32_t Canonicalizer::follow(uint32_t id, uint32_t model, uint32_t end) {
  for (; id < end; ++id, ++model) {
    prefetch(id);
    uint32_t wanted = class_of(model);
    uint32_t known = class_of(id);
    if (!is_class(wanted)) break;
    if (known != wanted) {
      if (is_class(known) || known == omitted_class || !unify(id, model)) break;
    }
    occurrences_[wanted].id = id;
  }
  return id;
}

/// A hash of what a type says, as far as it can be told without following what
/// it refers to.
uint64_t Canonicalizer::summarize(std::span<const uint32_t> words) {
  auto mix = [](uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  };
  auto refer = [&](uint32_t id) { return uint64_t{reference(id)}; };
  uint64_t hash = mix(0, words[0] | uint64_t{words[1]} << 32);
  KindShape shape = kind_shape(kind_of(words.data()));
  hash = mix(hash, shape.refers ? refer(words[2]) : words[2]);
  if (words[0] != 0 || words.size() == common_words) return hash;
  if (kind_of(words.data()) == BTF_KIND_ARRAY) return mix(mix(hash, refer(words[3])), words[5]);
  if (shape.element_type < 0) return hash;
  // Two elements tell enough of what has no name.
  size_t end = std::min<size_t>(words.size(), common_words + 2 * shape.element_words);
  for (size_t i = common_words; i < end; i += shape.element_words)
    hash = mix(hash, words[i] | refer(words[i + shape.element_type]) << 32);
  return hash;
}

/// A model for a type: one before it that says the same as far as can be told at
/// once, or 0. The type itself is the guess for the next that says this.
uint32_t Canonicalizer::guess(uint32_t id) {
  if (guesses_.empty()) {
    if (types_->starts.size() < least_types_to_guess) return 0;
    guesses_.resize(guess_count);
  }
  uint32_t& last = guesses_[summarize(types_->at(id).words()) & (guess_count - 1)];
  uint32_t before = std::exchange(last, id);
  return is_model(before, id) ? before : 0;
}

/// Unifies a type with what it is guessed to be equal to.
bool Canonicalizer::unify_with_guess(uint32_t id) {
  uint32_t model = guess(id);
  return model != 0 && unify(id, model);
}

}  // namespace bpflink
