#include "dedup/merge/matcher.hpp"

#include <algorithm>
#include <bit>

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

/// Whether words with these roles match those of a key. What takes least comes first.
template <WordRoles Roles>
bool Matcher::matches_roles(const uint32_t* words, const uint32_t* key) {
  constexpr auto is_number = [](WordRole role) {
    return role == WordRole::Number || role == WordRole::Size;
  };
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return ((!is_number(Roles[I]) || words[I] == key[I]) && ...) &&
           ((Roles[I] != WordRole::Name || input_.has_string(words[I], key[I])) && ...) &&
           ((Roles[I] != WordRole::Id || matches_reference(words[I], key[I])) && ...);
  }
  (std::make_index_sequence<Roles.size()>());
}

/// Whether the words of a type match a key, by the layout of their kind.
template <KindLayout Layout>
bool Matcher::matches_words(const uint32_t* words, const uint32_t* key) {
  constexpr size_t head_words = count_of(Layout.head), element_words = count_of(Layout.element);
  const uint32_t elements = element_words != 0 ? vlen_of(words) : 0;
  words += head_start;
  key += head_start;
  if (!matches_roles<Layout.head>(words, key)) return false;
  words += head_words;
  key += head_words;
  for (uint32_t i = 0; i < elements; ++i) {
    if (!matches_roles<Layout.element>(words, key)) return false;
    words += element_words;
    key += element_words;
  }
  return true;
}

/// Whether a type matches a key. Most types only refer to another one.
inline bool Matcher::matches_type(const uint32_t* words, const uint32_t* key) {
  constexpr WordRoles reference{WordRole::Id}, nothing{};
  constexpr KindSet references = kinds_with([&](const KindRow& row) {
    return row.layout.head == reference && row.layout.element == nothing;
  });
  static constexpr auto functions = []<size_t... I>(std::index_sequence<I...>) {
    return std::array{&Matcher::matches_words<kind_table[I].layout>...};
  }
  (std::make_index_sequence<known_kinds>());
  BtfKind kind = kind_of(words);
  if (words[1] != key[1] || !input_.has_string(words[0], key[0]) || is_object(kind)) return false;
  if (references.contains(kind)) return matches_reference(words[2], key[2]);
  return (this->*functions[static_cast<size_t>(kind)])(words, key);
}

bool Matcher::match(uint32_t id, uint32_t type_class) {
  uint32_t before = input_.class_of(id);
  input_.class_of(id) = type_class;
  bool is_of_class =
      matches_type(input_.words_of(id), table_.key(type_class)) && check_assumptions();
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
    if (matches_type(input_.words_of(id), key.data())) continue;
    compare_budget_ -= std::min(compare_budget_, compared);
    return false;
  }
  return true;
}

namespace {

/// The largest number of slots, a power of two.
constexpr size_t max_cached = 1 << 17;

}  // namespace

void MatchCache::reserve(size_t classes) {
  if (classes_.size() < std::min(classes, max_cached))
    classes_.assign(std::min(std::bit_ceil(2 * classes), max_cached), 0);
}

/// A reference, or if it is not known, the first words of the type referred to.
uint64_t MatchCache::summarize_reference(uint32_t id) {
  Reference known = input_.reference(id);
  if (known != unknown_reference || id < input_.types.first_id()) return known;
  const uint32_t* words = input_.words_of(id);
  return uint64_t{words[1]} << 32 | input_.string(words[0]);
}

/// A hash of a type that follows no references.
uint32_t MatchCache::summarize(std::span<const uint32_t> words) {
  auto mix = [](uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  };
  uint64_t hash = mix(0, input_.string(words[0]) | uint64_t{words[1]} << 32);
  const KindWords& layout = kind_words(kind_of(words.data()));
  // Two elements are enough, and only for a type without a name.
  size_t head_end = head_start + layout.head_words;
  size_t end = words[0] == 0 ? head_end + 2 * layout.element_words : head_end;
  words = words.first(std::min(end, words.size()));
  for_each_word(words, layout.numbers, [&](uint32_t number) { hash = mix(hash, number); });
  for_each_word(words, layout.names, [&](uint32_t name) { hash = mix(hash, input_.string(name)); });
  for_each_word(words, layout.ids, [&](uint32_t id) { hash = mix(hash, summarize_reference(id)); });
  return static_cast<uint32_t>(hash);
}

}  // namespace bpflink
