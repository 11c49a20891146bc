// From the types of an input to classes of a ClassTable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/class_table.hpp"
#include "dedup/format/type_section.hpp"

namespace bpflink {

/// What stands for the class of an omitted type.
inline constexpr uint32_t omitted_class = UINT32_MAX;

// What stands for a class that is not known yet: 0, or any of these bits.
/// The types that this one refers to are being looked at.
inline constexpr uint32_t open_bit = 0x20000000;
/// The type is an anchor; which one, the bits below open_bit tell.
inline constexpr uint32_t is_anchor_bit = 0x40000000;

/// Stands for a reference that is not known yet; equals none in a key.
inline constexpr Reference unknown_reference = UINT32_MAX;

inline bool is_class(uint32_t known) {
  return known - 1 < open_bit - 1;
}

/// Gives the types of one input after the other their classes in one table.
class Classifier {
 public:
  explicit Classifier(ClassTable& table) : table_(table) {}

  /// Makes an input the one at hand. `classes` has an element for each type from
  /// `btf.first_id()` on: 0, `omitted_class`, or the private class of an object. `base_classes`
  /// has the class of each id of the base, and 0 for void. All must outlive its classification.
  void begin(const BtfView& types, std::span<const uint32_t> base_classes,
             std::span<uint32_t> classes);

  /// Gives the types with ids from `begin` to before `end` their classes, and to what they refer
  /// to as far as that takes.
  void classify(uint32_t begin, uint32_t end);

  /// Whether a type that stays refers to one that is omitted. Classes then mean nothing.
  bool found_omission() const { return found_omission_; }

  /// Writes the key of a type of the input at hand, whose references have their classes. Valid
  /// until the next call.
  std::span<const uint32_t> key_of(uint32_t id);

 private:
  uint32_t& class_of(uint32_t id) { return classes_[id - types_.first_id()]; }
  const uint32_t* words_of(uint32_t id) const { return types_.first_word(id); }

  const char* text(uint32_t offset) const;
  uint32_t string(uint32_t offset);
  void note_string(uint32_t offset, uint32_t known);

  void adapt_to_kernel(std::span<uint32_t> words) const;
  Reference reference(uint32_t id);
  Reference reference_to_unassigned(uint32_t id);

  // Matching with classes that are known, in match.cpp.
  bool match_if_alike(uint32_t id, uint32_t type_class);
  bool match(uint32_t id, uint32_t type_class);
  bool confirm();
  bool is_like(const uint32_t* words, const uint32_t* key);
  template <int Words, int Name, int Type>
  bool accept_elements(const uint32_t* words, const uint32_t* key);
  bool accept_string(uint32_t offset, uint32_t wanted);
  bool accept_other_string(uint32_t offset, uint32_t wanted);
  bool accept(uint32_t id, Reference wanted);
  bool accept_unassigned(uint32_t id, Reference wanted);
  bool assume(uint32_t id, uint32_t type_class);
  uint32_t summarize(std::span<const uint32_t> words);
  uint64_t summarize_reference(uint32_t id);

  /// A type that the search is at.
  struct Frame {
    uint32_t id;
    bool is_expanded = false;  ///< the types that it refers to are on the stack above
    uint32_t summary = 0;      ///< its place in the match cache
  };
  uint32_t classify_after(uint32_t before, uint32_t id);
  void search(uint32_t root);
  bool match_with_cache(Frame& frame);
  void open(uint32_t id);
  void expand(Frame& frame);
  void assign(const Frame& frame);
  void translate(std::span<const uint32_t> words);
  void close_circles();

  ClassTable& table_;

  // What the types so far, of all inputs, tell.
  /// By class: that of the type after the last one of this, or 0. Of 0: that of the first type of
  /// an input.
  std::vector<uint32_t> successors_ = {0};
  /// By anchor: the class of the last type that declared or defined it and was not as expected,
  /// or 0. Element 0, of what has no tag, is written and never asked.
  std::vector<uint32_t> anchors_ = {0};
  /// By some bits of a summary of what a type says: the class of the last such type that was not
  /// as expected, or 0.
  std::vector<uint32_t> match_cache_;

  // The input at hand.
  BtfView types_;
  std::span<const uint32_t> base_classes_;
  std::span<uint32_t> classes_;
  /// The table's offset by the input's; 0 if not yet known.
  std::vector<uint32_t> strings_;
  /// The indexes whose element of `strings_` is not 0: few of many inputs' elements are
  /// used, and to forget these takes less than to fill all with 0.
  std::vector<uint32_t> known_strings_;
  bool found_omission_ = false;

  // The type at hand.
  std::vector<uint32_t> key_;
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
  /// A type that was given a class without a comparison yet.
  struct Assumption {
    uint32_t id;
    uint32_t type_class;
  };
  std::vector<Assumption> assumed_;
  size_t patience_ = 0;  ///< words that may yet be compared in vain
  std::vector<Frame> stack_;
};

/// A string of the input.
inline const char* Classifier::text(uint32_t offset) const {
  uint32_t begin = types_.string_begin();
  return offset >= begin ? types_.strings().data() + (offset - begin)
                         : types_.string(offset).data();
}

/// The table's offset of a string of the input.
inline uint32_t Classifier::string(uint32_t offset) {
  if (strings_[offset] == 0) note_string(offset, table_.strings().intern(text(offset)));
  return strings_[offset];
}

inline void Classifier::note_string(uint32_t offset, uint32_t known) {
  if (known == 0) return;  // the empty one
  strings_[offset] = known;
  known_strings_.push_back(offset);
}

/// The reference to a type, if it is known without following others.
inline Reference Classifier::reference(uint32_t id) {
  if (id < types_.first_id()) return table_.reference_to(base_classes_[id]);
  uint32_t known = class_of(id);
  if (is_class(known)) return table_.reference_to(known);
  return reference_to_unassigned(id);
}

/// As match(), where the class may plainly be another, or 0.
inline bool Classifier::match_if_alike(uint32_t id, uint32_t type_class) {
  return type_class != 0 && words_of(id)[1] == table_.key(type_class)[1] && match(id, type_class);
}

}  // namespace bpflink
