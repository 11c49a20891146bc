// The oracle: the meaning of deduplication (DESIGN.md, section 5.1), computed by naive refinement.
// It is slow and simple on purpose. It parses blobs itself and compares whole signatures where the
// library compares hashes, so that the two agree only if both are right.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plain_btf.hpp"

namespace bpflink::test {

/// A decoded input of a deduplication
struct PlainInput {
  PlainBtf btf{};
  /// For each id, or empty: types to treat as absent.
  std::vector<bool> omit{};
};

/// The required result of a deduplication
struct Meaning {
  /// The id of the output's first type that is not in the base.
  uint32_t first_id = 1;
  /// For each input and id: the id in the output, where the base's ids stay. 0 for omitted types.
  std::vector<std::vector<uint32_t>> images{};
  /// The output's types from first_id on: for each the number of the input and the id there of the
  /// type whose words the output has.
  std::vector<std::pair<uint32_t, uint32_t>> kept{};
  /// For each id of the base: the lowest id of an equal type. Equal types are interchangeable.
  std::vector<uint32_t> twins{};
  /// Whether a type of the output contains itself without a pointer in between, possible if a
  /// member's type was only declared. Such inputs cannot be deduplicated.
  bool contains_itself = false;

  /// One past the last id of the output
  uint32_t end_id() const { return first_id + static_cast<uint32_t>(kept.size()); }
  /// Whether two ids of the output mean the same
  bool is_same(uint32_t a, uint32_t b) const { return canonical(a) == canonical(b); }
  /// `id`, or the lowest id of equal types of the base
  uint32_t canonical(uint32_t id) const { return id < twins.size() ? twins[id] : id; }
};

/// Computes it. `base` is the inputs' base with all its own bases, or null. No remaining type may
/// refer to an omitted one.
Meaning find_meaning(const std::vector<PlainInput>& inputs, const PlainBtf* base);

/// The fault in a deduplication with these `images`, for each input and id, and `output`, or "":
/// each type must be where the oracle says, with the words of its original, and refer to the images
/// of the original's references.
std::string find_fault(const std::vector<PlainInput>& inputs, const Meaning& meaning,
                       const std::vector<std::vector<uint32_t>>& images, const PlainBtf& output);

}  // namespace bpflink::test
