// From the types of an input to classes of a ClassTable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/classes/match_cache.hpp"
#include "dedup/classes/matcher.hpp"

namespace bpflink {

/// Gives the types of one input after the other their classes in one table.
class Classifier {
 public:
  explicit Classifier(ClassTable& table) : table_(table), input_(table) {}
  Classifier(const Classifier&) = delete;  // its parts refer to each other
  Classifier& operator=(const Classifier&) = delete;

  /// Makes an input the one at hand. `classes` has an element for each type from
  /// `btf.first_id()` on: 0, `omitted_class`, or the private class of an object. `base_classes`
  /// has the class of each id of the base, and 0 for void. All must outlive its classification.
  void begin(const BtfView& types, std::span<const uint32_t> base_classes,
             std::span<uint32_t> classes);

  /// Gives the types with ids from `begin` to before `end` their classes, and to what they refer
  /// to as far as that takes.
  void classify(uint32_t begin, uint32_t end);

  /// Whether a type that stays refers to one that is omitted. Classes then mean nothing.
  bool found_omission() const { return input_.found_omission; }

  /// Writes the key of a type of the input at hand, whose references have their classes. Valid
  /// until the next call.
  std::span<const uint32_t> key_of(uint32_t id);

 private:
  /// A type that the search is at.
  struct Frame {
    uint32_t id;
    bool is_expanded = false;  ///< the types that it refers to are on the stack above
    uint32_t cache_place = 0;
  };

  uint32_t classify_after(uint32_t before, uint32_t id);
  bool is_of(uint32_t type_class, uint32_t id);

  void search(uint32_t root);
  bool match_with_cache(Frame& frame);
  void open(uint32_t id);
  void expand(Frame& frame);
  void assign(const Frame& frame);
  void close_circles();

  void translate(std::span<const uint32_t> words);
  void adapt_to_kernel(std::span<uint32_t> words) const;

  ClassTable& table_;
  OpenInput input_;
  Matcher matcher_{input_};

  // What the types so far, of all inputs, tell.
  /// By class: that of the type after the last one of this, or 0. Of 0: that of the first type of
  /// an input.
  std::vector<uint32_t> successors_ = {0};
  /// By anchor: the class of the last type that declared or defined it and was not as expected,
  /// or 0. Element 0, of what has no tag, is written and never asked.
  std::vector<uint32_t> anchors_ = {0};
  MatchCache cache_{input_};

  std::vector<Frame> stack_;       ///< of the search
  std::vector<uint32_t> key_;      ///< of the type at hand
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
};

}  // namespace bpflink
