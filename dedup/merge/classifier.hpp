// Finds the class of each type of an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/merge/matcher.hpp"

namespace bpflink {

/// Classifies the types of one input after another, with one table.
class Classifier {
 public:
  explicit Classifier(ClassTable& table) : table_(table), input_(table) {}
  Classifier(const Classifier&) = delete;  // its members refer to each other
  Classifier& operator=(const Classifier&) = delete;

  /// Begins with an input. `classes` is where the classes go, by type from `types.first_id()` on.
  /// Before, each is 0, `omitted_class`, or the private class of an object. `base_classes` has the
  /// class of each id of the base that is referred to, and 0 for void. All must stay until the next
  /// input. `count` is how many types are to be classified.
  void begin(const BtfView& types, std::span<const uint32_t> base_classes,
             std::span<uint32_t> classes, size_t count);

  /// Classifies the types with ids from `begin` to before `end`, and others as far as those refer
  /// to them.
  void classify(uint32_t begin, uint32_t end);

  /// Whether a type that stays refers to an omitted one. Then the classes are not valid.
  bool found_omission() const { return input_.found_omission; }

  /// The key of a type of the current input, whose references have classes. Valid until the next
  /// call.
  std::span<const uint32_t> key_of(uint32_t id);

 private:
  /// A type on the stack of the search.
  struct Frame {
    uint32_t id;
    bool references_pushed = false;  ///< its references are above it on the stack, or done
    uint32_t cache_slot = 0;
  };

  uint32_t classify_after(uint32_t before, uint32_t id);
  bool matches_expected(uint32_t type_class, uint32_t id);

  void search(uint32_t root);
  bool match_with_cache(Frame& frame);
  void mark_in_progress(uint32_t id);
  void push_references(Frame& frame);
  void intern_type(const Frame& frame);
  void close_circles();

  void translate(std::span<const uint32_t> words);
  void adapt_to_kernel(std::span<uint32_t> words) const;

  ClassTable& table_;
  CurrentInput input_;
  Matcher matcher_{input_};

  // Hints, from the types of all inputs so far.
  /// By class: the class of the type that last came after one of it, or 0. Element 0 is for the
  /// first type of an input.
  std::vector<uint32_t> successors_ = {0};
  /// By anchor: the class of the last type that declared or defined it and did not match the hint,
  /// or 0. Element 0 is written for types without a tag, and never read.
  std::vector<uint32_t> anchors_ = {0};
  MatchCache cache_{input_};

  std::vector<Frame> stack_;       ///< of the search
  std::vector<uint32_t> key_;      ///< of the current type
  std::vector<uint32_t> unknown_;  ///< ids that it refers to and that have no class yet
};

}  // namespace bpflink
