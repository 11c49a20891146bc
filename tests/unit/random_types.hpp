// Random inputs of a deduplication
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink::test {

/// A type with strings as text. Ids are those of its future blob.
struct RandomType {
  BtfKind kind = BtfKind::Int;
  bool kind_flag = false;
  std::string name{};
  uint32_t size = 0;    ///< in bytes; of the kinds that have one
  uint32_t type = 0;    ///< what it refers to; an array's elements
  uint32_t index = 0;   ///< of an ARRAY: the type of its indices
  uint32_t number = 0;  ///< encoding, array length, linkage or component
  struct Element {
    std::string name{};
    uint32_t type = 0;
    uint64_t value = 0;  ///< value or offset
  };
  std::vector<Element> elements{};
  bool is_omitted = false;  ///< the deduplication leaves it out
};

/// Calls `change` for each reference of a type; it may change the reference.
template <typename Change>
void for_each_id(RandomType& t, Change change) {
  change(t.type);
  change(t.index);
  for (auto& e : t.elements) change(e.type);
}

/// The types of one blob. The first id is 1, or follows the base's last id.
using RandomUnit = std::vector<RandomType>;

/// The inputs of one deduplication
struct RandomInputs {
  /// A chain: the first stands alone, the others are split from all earlier ones.
  std::vector<RandomUnit> bases{};
  /// Split from all bases
  std::vector<RandomUnit> inputs{};

  /// The first id of the base at `place` in the chain
  uint32_t first_id_of_base(size_t place) const;
  /// The first id of the inputs
  uint32_t first_id() const { return first_id_of_base(bases.size()); }
};

/// A few inputs that share many types: copies of each other, reordered and changed, some joined,
/// with names from a small stock.
RandomInputs random_inputs(uint64_t seed);

/// Such inputs without a base and without omitted types
std::vector<RandomUnit> random_units(uint64_t seed);

using Random = std::mt19937_64;

/// Gives the types of a unit other ids. `places` has the new id for each old one.
RandomUnit permuted(const RandomUnit& unit, uint32_t first_id, Random& random,
                    std::vector<uint32_t>& places);

/// All units in one, one after another
RandomUnit concatenate(const std::vector<RandomUnit>& units, uint32_t first_id = 1);

/// A blob whose ids begin at first_id and whose string offsets begin at first_string. Equal strings
/// may have several offsets.
std::vector<std::byte> encode(const RandomUnit& unit, uint32_t first_string = 0);

/// Removes from `inputs` whatever is not needed for `fails` to be true.
RandomInputs shrink(RandomInputs inputs, const std::function<bool(const RandomInputs&)>& fails);

/// The inputs as numbered lists
std::string to_text(const RandomInputs& inputs);

}  // namespace bpflink::test
