// Matches types of the current input with candidate classes, without a key or a hash.
//
// A type belongs to a class if its words agree with the key of the class, and what it refers to
// belongs to the classes in the key. If it refers to a type without a class, that type is assumed
// to belong to the class in the key, and queued for comparison. If the queue runs empty without a
// difference, all assumptions hold together. At the first difference, all assumptions since the
// first type are retracted.
//
// A failed match decides nothing: the canonical key does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dedup/merge/current_input.hpp"

namespace bpflink {

class Matcher {
 public:
  explicit Matcher(CurrentInput& input) : input_(input), table_(input.table) {}

  /// To be called for each new input.
  void begin() { compare_budget_ = 4 * input_.types.words().size(); }

  /// If a type is of a class, gives it that class, and the types that it refers to theirs. Returns
  /// whether it is.
  bool match(uint32_t id, uint32_t type_class);

 private:
  bool check_assumptions();
  bool matches_type(const uint32_t* words, const uint32_t* key);
  template <KindLayout Layout>
  bool matches_words(const uint32_t* words, const uint32_t* key);
  template <WordRoles Roles>
  bool matches_roles(const uint32_t* words, const uint32_t* key);
  bool matches_reference(uint32_t id, Reference wanted);
  bool matches_anchor(uint32_t id, Reference wanted);
  bool assume(uint32_t id, uint32_t type_class);

  CurrentInput& input_;
  const ClassTable& table_;
  /// A type that was given a class and is still to be compared.
  struct Assumption {
    uint32_t id;
    uint32_t type_class;
  };
  std::vector<Assumption> assumed_;
  size_t compare_budget_ = 0;  ///< words of this input that may still be compared in vain
};

// The match cache: for types that have no better hint, the last class that looked the same at first
// sight.

/// A table of classes, in slots by a hash of what a type's words tell without following references.
/// A new class replaces the one in its slot; a match decides, so a wrong candidate only costs time.
class MatchCache {
 public:
  explicit MatchCache(CurrentInput& input) : input_(input) {}

  /// Grows for `classes` classes, which empties it.
  void reserve(size_t classes);

  /// The slot of a type with these words.
  uint32_t slot_of(std::span<const uint32_t> words) {
    return summarize(words) & static_cast<uint32_t>(classes_.size() - 1);
  }
  /// The class in a slot, or 0.
  uint32_t& operator[](uint32_t slot) { return classes_[slot]; }

 private:
  uint32_t summarize(std::span<const uint32_t> words);
  uint64_t summarize_reference(uint32_t id);

  CurrentInput& input_;
  std::vector<uint32_t> classes_;
};

}  // namespace bpflink
