// Functions of a builder that only the deduplicator needs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Adds strings that are different, each with its NUL, to a builder without a base that
/// has none of them yet. The first one gets the offset that the last one's NUL has, and 1.
void add_new_strings(BtfBuilder& types, std::string_view strings);

/// Has the string section of a builder without strings begin with this one, of a blob that has the
/// same base: all of its offsets stay what they are.
void begin_with_strings(BtfBuilder& types, std::string_view strings);

/// Has finish() write types of a vlen of more than 0xffff, as there are some in an input.
void allow_wide_vlen(BtfBuilder& types);

/// Removes all types but those that are kept, to which no other may refer, and the strings that
/// only removed ones had. Returns each one's id by the id that it had, 0 for one that was removed.
/// There must be no type of a kind that the library does not know.
std::vector<uint32_t> keep_types(BtfBuilder& types, const std::vector<bool>& kept);

/// Puts the types in another order, without those that are not in it, to which no other may refer,
/// and without the strings that only these had. `order` has ids that the types have; else as above.
std::vector<uint32_t> rearrange_types(BtfBuilder& types, std::span<const uint32_t> order);

/// Makes room for so many types, words of these and bytes of strings.
void reserve(BtfBuilder& types, size_t count, size_t words, size_t string_bytes);

}  // namespace bpflink
