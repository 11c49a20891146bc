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

/// Finds inputs that have an untainted type twice. The lists by class are shared by all inputs:
/// clearing them for each would take the number of inputs times that of classes.
class RepeatedTypeFinder {
 public:
  RepeatedTypeFinder(const Deduplication& d, const std::vector<bool>& is_tainted)
      : d_(d),
        is_tainted_(is_tainted),
        input_of_class_(d.table.class_count()),
        input_of_anchor_(d.table.anchor_count()) {}

  /// Whether the next input has an untainted type twice.
  bool has_repeated_type(const Input& input) {
    ++count_;
    for (uint32_t c : input.class_of_type) {
      if (c == omitted_class || is_tainted_[c]) continue;
      // Declarations of a tag are equal, even if the sizes of enums differ.
      uint32_t& seen_in =
          d_.table.is_forward(c) ? input_of_anchor_[d_.table.anchor_of(c)] : input_of_class_[c];
      if (seen_in == count_) return true;
      seen_in = count_;
    }
    return false;
  }

 private:
  const Deduplication& d_;
  const std::vector<bool>& is_tainted_;
  uint32_t count_ = 0;                     ///< inputs so far
  std::vector<uint32_t> input_of_class_;   ///< by class: the last input that has it, from 1 on
  std::vector<uint32_t> input_of_anchor_;  ///< by anchor: the last input that declares it
};

/// By index of a type: its connected component, numbered from 0 on. And the count of components.
/// (Union-find with path halving.)
std::pair<std::vector<uint32_t>, uint32_t> find_components(const Input& input,
                                                           const std::vector<bool>& reaches_tag) {
  const BtfView& types = input.types();
  std::vector<uint32_t> parents(input.class_of_type.size());
  std::iota(parents.begin(), parents.end(), 0);
  auto find = [&](uint32_t index) {
    while (parents[index] != index) index = parents[index] = parents[parents[index]];
    return index;
  };
  for (uint32_t index = 0; index < parents.size(); ++index) {
    std::span<const uint32_t> words = types.words_of(types.first_id() + index);
    if (input.class_of_type[index] == omitted_class || kind_of(words.data()) == BtfKind::Datasec)
      continue;
    uint32_t root = find(index);
    for_each_reference(words, [&](uint32_t child) {
      if (child < types.first_id() || !reaches_tag[input.class_of_type[child - types.first_id()]])
        return;
      uint32_t other = find(child - types.first_id());
      // The lower index becomes the root.
      if (other < root) std::swap(other, root);
      parents[other] = root;
    });
  }
  uint32_t count = 0;  // a parent has a lower index, so its number is known
  for (uint32_t index = 0; index < parents.size(); ++index)
    parents[index] = parents[index] == index ? count++ : parents[parents[index]];
  return {std::move(parents), count};
}

}  // namespace

Units::Units(const Deduplication& d, const std::vector<bool>& is_tainted,
             const std::vector<bool>& reaches_tag)
    : inputs_(d.inputs.size()) {
  RepeatedTypeFinder repeated(d, is_tainted);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].first = count_;
    if (repeated.has_repeated_type(d.inputs[i])) {
      auto [components, count] = find_components(d.inputs[i], reaches_tag);
      inputs_[i].components = std::move(components);
      count_ += count;
    } else {
      ++count_;
    }
  }
}

}  // namespace bpflink
