// Writes the canonical key of each type and interns it.
//
// A key holds the classes of the types that it refers to, so these are classified first. References
// to anchors are by name and need no class. What is left are chains, like a pointer to a const int,
// and anonymous structs. If a type refers to one without a class, a depth-first search with an
// explicit stack classifies that one first. C cannot make a circle without an anchor, but a typedef
// that refers to itself makes one. The type that closes the circle gets a private class; its key
// follows when the search returns to it (circles.cpp merges such classes).
//
// Most types need no key. Units that include the same headers have the same types in the same
// order, so a hint tells which class to expect:
//
//   known tag       the class that last had this tag
//   other type      its successor hint: the class that last came after the class of the type before
//                   it, in this input or an earlier one
//   no match        the match cache: a class whose key begins with the same words
//
// Matching a type with the key of a class (matcher.hpp) takes neither a key nor a hash. In a kernel
// the first two settle nine types of ten, and the cache two thirds of the others.
#include "dedup/merge/classifier.hpp"

#include <algorithm>

namespace bpflink {

namespace {

/// How many words ahead to prefetch: more than a unit has, because types refer to others all over
/// it. Without, a kernel's deduplication takes 12 per cent longer.
constexpr size_t words_ahead = 1 << 14;

/// Prefetches the first of an input's bytes, for the same reason: a small input has all of them
/// there.
void prefetch(const void* bytes, size_t size) {
  constexpr size_t cache_line = 64;
  size = std::min(size, words_ahead * sizeof(uint32_t));
  for (size_t at = 0; at < size; at += cache_line)
    __builtin_prefetch(static_cast<const char*>(bytes) + at);
}

}  // namespace

void Classifier::begin(const BtfView& types, std::span<const uint32_t> base_classes,
                       std::span<uint32_t> classes, size_t count) {
  prefetch(types.words().data(), types.words().size_bytes());
  prefetch(types.strings().data(), types.strings().size());
  input_.begin(types, base_classes, classes);
  matcher_.begin();
  cache_.reserve(std::max<size_t>(table_.class_count(), count));
}

/// Whether a type matches a class (0 matches nothing). If so, it and the types that it refers to
/// get their classes.
inline bool Classifier::matches_expected(uint32_t type_class, uint32_t id) {
  return type_class != 0 && input_.words_of(id)[1] == table_.key(type_class)[1] &&
         matcher_.match(id, type_class);
}

/// Classifies a type that comes after one of the class `before`. Returns its class, or 0 if an
/// omitted type was referred to.
inline uint32_t Classifier::classify_after(uint32_t before, uint32_t id) {
  uint32_t anchor = input_.class_of(id) & (in_progress_bit - 1);
  uint32_t expected = anchor != 0 ? anchors_[anchor] : successors_[before];
  if (matches_expected(expected, id)) return expected;
  search(id);
  if (input_.found_omission) return 0;
  uint32_t found = input_.class_of(id);
  successors_.resize(table_.class_count());
  anchors_.resize(table_.anchor_count());
  anchors_[table_.anchor_of(found)] = found;
  return found;
}

void Classifier::classify(uint32_t begin, uint32_t end) {
  successors_.resize(table_.class_count());
  anchors_.resize(table_.anchor_count());
  const BtfView types = input_.types;
  uint32_t before = 0;
  for (uint32_t id = begin; id < end; ++id) {
    __builtin_prefetch(types.first_word(id) + words_ahead);
    uint32_t known = input_.class_of(id);
    if (!is_class(known)) {
      if (known == omitted_class) continue;
      known = classify_after(before, id);
      if (known == 0) return;
    }
    if (!table_.is_private(known)) successors_[before] = known;
    before = known;
  }
}

/// Changes words that no kernel accepts. The index type of an array of unknown length becomes 0, so
/// that such arrays are equal: gcc writes 0, other compilers write a type. So does that of all
/// arrays if there is a base, because pahole writes another one than gcc.
void Classifier::adapt_to_kernel(std::span<uint32_t> words) const {
  BtfKind kind = kind_of(words.data());
  if (kind == BtfKind::Int) words[3] = kernel_int_data(words[3]);
  if (kind == BtfKind::Fwd) words[2] = 0;
  if (kind == BtfKind::Enum && words[2] == 0) words[2] = sizeof(int);
  if (kind == BtfKind::Array && (words[5] == 0 || table_.has_base) && words[4] != 0 &&
      input_.types.type(words[4]).kind() == BtfKind::Int)
    words[4] = 0;
}

/// Writes the key of a type to `key_`, and the ids whose references are unknown to `unknown_`.
void Classifier::translate(std::span<const uint32_t> words) {
  key_.assign(words.begin(), words.end());
  unknown_.clear();
  if (table_.is_for_kernel) adapt_to_kernel(key_);
  for_each_string(std::span(key_), [&](uint32_t& offset) { offset = input_.string(offset); });
  for_each_reference(std::span(key_), [&](uint32_t& child) {
    Reference known = input_.reference(child);
    if (known == unknown_reference) unknown_.push_back(child);
    child = known;
  });
}

std::span<const uint32_t> Classifier::key_of(uint32_t id) {
  translate(input_.types.words_of(id));
  return key_;
}

/// Matches a type with the class in its slot of the match cache.
bool Classifier::match_with_cache(Frame& frame) {
  frame.cache_slot = cache_.slot_of(input_.types.words_of(frame.id));
  uint32_t cached = cache_[frame.cache_slot];
  return cached != 0 && matcher_.match(frame.id, cached);
}

/// Classifies a type, and first the types that it refers to other than by tag.
void Classifier::search(uint32_t root) {
  stack_.push_back({root});
  while (!stack_.empty() && !input_.found_omission) {
    Frame& frame = stack_.back();
    uint32_t known = input_.class_of(frame.id);
    bool is_circle = is_class(known) && !table_.is_defined(known);  // objects are never here
    bool is_done =
        !is_circle && (is_class(known) || (!frame.references_pushed && match_with_cache(frame)));
    if (is_done) {
      stack_.pop_back();
    } else if (!frame.references_pushed) {
      push_references(frame);
    } else {
      intern_type(frame);
      stack_.pop_back();
    }
  }
  stack_.clear();
}

void Classifier::mark_in_progress(uint32_t id) {
  if (is_class(input_.class_of(id))) return;  // it has a private class already
  input_.reference(id);                       // notes its anchor, if it is one
  input_.class_of(id) |= in_progress_bit;
}

/// Pushes the types that a type refers to and that have no class yet.
void Classifier::push_references(Frame& frame) {
  frame.references_pushed = true;
  uint32_t id = frame.id;
  mark_in_progress(id);
  for_each_reference(input_.types.words_of(id), [&](uint32_t child) {
    if (input_.reference(child) == unknown_reference && input_.class_of(child) == 0)
      stack_.push_back({child});
  });
}

/// Gives a type its class. The types that it refers to have theirs, or are in progress.
void Classifier::intern_type(const Frame& frame) {
  std::span<const uint32_t> words = input_.types.words_of(frame.id);
  translate(words);
  if (!unknown_.empty()) {
    close_circles();
    translate(words);
  }
  uint32_t& type_class = input_.class_of(frame.id);
  if (is_class(type_class)) {
    table_.define(type_class, key_);
    return;
  }
  type_class = table_.intern(key_);
  cache_[frame.cache_slot] = type_class;
}

/// Gives private classes to types in progress that the current type refers to.
void Classifier::close_circles() {
  for (uint32_t child : unknown_) {
    if (input_.class_of(child) != in_progress_bit) continue;
    input_.class_of(child) = table_.add_private();
    table_.set_has_circles();
  }
}

}  // namespace bpflink
