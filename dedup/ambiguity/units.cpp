// Splits inputs into units.
//
// An input is a unit, unless it was merged from several, like the blob of a whole kernel. Such an
// input has some untainted type twice, which no compiler writes and no deduplicated blob has.
// (Objects and what refers to them do not count: they stay apart under any names.) It is split into
// the connected components of its graph: a unit has all types that it refers to, so no reference
// leads from one unit to another.
//
// Two kinds of references do not connect units. A type that reaches no tag means the same
// everywhere, and the program that merged the units may have kept one for all of them, as pahole
// does with the type of array indices. And a DATASEC lists variables of all units.
#include "dedup/ambiguity/units.hpp"

#include <algorithm>
#include <numeric>

namespace bpflink {

namespace {

/// Tells of one input after the other whether it was put together. What is noted by class is kept
/// from input to input: to begin anew would take the number of inputs times that of classes.
class Repetition {
 public:
  Repetition(const Deduplication& d, const std::vector<bool>& is_tainted)
      : d_(d),
        is_tainted_(is_tainted),
        input_of_class_(d.table.class_count()),
        input_of_anchor_(d.table.anchor_count()) {}

  /// Whether an untainted type is in the next input twice.
  bool next(const Input& input) {
    ++count_;
    for (uint32_t c : input.elements) {
      if (c == omitted_class || is_tainted_[c]) continue;
      // Declarations of a tag are equal, even if the sizes of enums differ.
      uint32_t anchor = d_.table.anchor_of(c);
      bool declares = anchor != 0 && !d_.table.is_definition(c);
      uint32_t& seen_in = declares ? input_of_anchor_[anchor] : input_of_class_[c];
      if (seen_in == count_) return true;
      seen_in = count_;
    }
    return false;
  }

 private:
  const Deduplication& d_;
  const std::vector<bool>& is_tainted_;
  uint32_t count_ = 0;                     ///< of inputs
  std::vector<uint32_t> input_of_class_;   ///< by class: the last input that it was in, from 1 on
  std::vector<uint32_t> input_of_anchor_;  ///< the same of declarations, by anchor
};

/// The connected components of an input's types, by index, in numbers from 0 on, and their count.
std::pair<std::vector<uint32_t>, uint32_t> find_components(const Input& input,
                                                           const std::vector<bool>& reaches_tag) {
  const BtfView& types = input.types();
  std::vector<uint32_t> parents(input.elements.size());
  std::iota(parents.begin(), parents.end(), 0);
  auto find = [&](uint32_t index) {
    while (parents[index] != index) index = parents[index] = parents[parents[index]];
    return index;
  };
  for (uint32_t index = 0; index < parents.size(); ++index) {
    std::span<const uint32_t> words = types.words_of(types.first_id() + index);
    if (input.elements[index] == omitted_class || kind_of(words.data()) == BtfKind::Datasec)
      continue;
    uint32_t root = find(index);
    for_each_reference(words, [&](uint32_t child) {
      if (child < types.first_id() || !reaches_tag[input.elements[child - types.first_id()]])
        return;
      uint32_t other = find(child - types.first_id());
      // The lower one is the root, so that each element comes after its root.
      if (other < root) std::swap(other, root);
      parents[other] = root;
    });
  }
  uint32_t count = 0;
  for (uint32_t index = 0; index < parents.size(); ++index)
    parents[index] = parents[index] == index ? count++ : parents[parents[index]];
  return {std::move(parents), count};
}

}  // namespace

Units::Units(const Deduplication& d, const std::vector<bool>& is_tainted,
             const std::vector<bool>& reaches_tag)
    : cuts_(d.inputs.size()) {
  Repetition repetition(d, is_tainted);
  for (size_t i = 0; i < cuts_.size(); ++i) {
    cuts_[i].first = count_;
    if (repetition.next(d.inputs[i])) {
      auto [components, count] = find_components(d.inputs[i], reaches_tag);
      cuts_[i].components = std::move(components);
      count_ += count;
    } else {
      ++count_;
    }
  }
}

}  // namespace bpflink
