// The oracle: what deduplication means (DESIGN.md, section 5.1), computed by naive refinement.
// Slow and plain on purpose. It reads blobs by itself and compares whole signatures where the
// library compares hashes, so that the two can only agree by both being right.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plain_btf.hpp"

namespace bpflink::test {

/// An input of a deduplication, decoded.
struct PlainInput {
  PlainBtf btf{};
  /// By id, or empty: the types that are as if they were not there.
  std::vector<bool> omit{};
};

/// What a deduplication has to come to.
struct Meaning {
  /// The output's id of the first type that is not of the base.
  uint32_t first_id = 1;
  /// By input and id: the output's id, as of the base's ids themselves. 0 for omitted types.
  std::vector<std::vector<uint32_t>> images{};
  /// The output's types from first_id on: for each the number of the input and the id there of
  /// the type whose words are written.
  std::vector<std::pair<uint32_t, uint32_t>> kept{};
  /// By the base's id: the lowest id of an equal type. One is as good as the other.
  std::vector<uint32_t> twins{};
  /// Whether a tag has definitions that differ even with all tags in them written by name.
  bool has_ambiguous_tags = false;
  /// Whether a type of the output contains itself without a pointer in between, as may be
  /// where a member's type was only declared. Such inputs cannot be deduplicated.
  bool contains_itself = false;

  /// One past the last id of the output.
  uint32_t end_id() const { return first_id + static_cast<uint32_t>(kept.size()); }
  /// Whether two ids of the output mean the same.
  bool is_same(uint32_t a, uint32_t b) const { return canonical(a) == canonical(b); }
  /// `id`, or of equal types of the base the lowest.
  uint32_t canonical(uint32_t id) const { return id < twins.size() ? twins[id] : id; }
};

/// Computes it. `base` is what the inputs were split from with all that it was split from, or
/// null. No type that stays may refer to one that is omitted.
Meaning find_meaning(const std::vector<PlainInput>& inputs, const PlainBtf* base);

/// What is wrong with a deduplication that gave `images`, by input and id, and `output`, or "":
/// each type must be where the oracle says, with the words of the type that it came from, and
/// refer to the images of what that one refers to.
std::string find_fault(const std::vector<PlainInput>& inputs, const Meaning& meaning,
                       const std::vector<std::vector<uint32_t>>& images, const PlainBtf& output);

}  // namespace bpflink::test
