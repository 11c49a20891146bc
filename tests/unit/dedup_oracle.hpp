// What a deduplication must have done, checked in the plainest way there is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bpflink/dedup.hpp"

namespace bpflink::test {

/// Whether two variables of equal words are equal: to a deduplicator never, to
/// one who compares two outputs they are.
enum class Objects { apart, by_words };

/// A color for each type of all `graphs`, by graph and id: equal colors mean
/// that the types mean the same. Colors start as the types' own words and are
/// split by the colors of what they refer to until nothing changes.
std::vector<std::vector<uint32_t>> color_types(const std::vector<const Btf*>& graphs,
                                               Objects objects);

/// What is wrong with the result of deduplicating `inputs`, or "" if nothing:
/// every type must be there, mean what it meant, forward declarations resolved
/// or not, and no two types of the output may mean the same.
std::string find_fault(const std::vector<const Btf*>& inputs, const std::vector<TypeMap>& maps,
                       const Btf& output);

/// What differs between two outputs that should have the same types in any
/// order, or "".
std::string find_difference(const Btf& a, const Btf& b);

}  // namespace bpflink::test
