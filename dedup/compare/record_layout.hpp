// Whether two definitions have the same layout.
//
// Two structs or unions agree if members of one name have the same offset and width. A member that
// only one of them has must be padding, or lie where the other has members of other names. Members
// of anonymous structs and unions count as members of the outer struct. Types of members do not
// count: a pointer and a number of the same width agree.
//
// A definition that hides its contents, because it has no members or only one array of integers,
// agrees with any definition that fits into it. An array without a length at the end agrees with
// any array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/compare/compare.hpp"

namespace bpflink {

/// A member that both records have.
struct CommonMember {
  std::string path;     ///< ".a.b"
  uint64_t bit_offset;  ///< the smaller of the two
  uint32_t a, b;        ///< their types
};

/// The difference at the lowest offset.
struct LayoutDifference {
  std::string member;  ///< ".a.b", or "" for the whole
  uint64_t bit_offset = 0;
  DifferenceSide a, b;
};

/// A struct, union or enum.
struct Record {
  const BtfView& types;
  uint32_t id;
};

/// Compares two structs or unions, and adds the members that both have to `common`. Counts members
/// in `work`; beyond TypeComparison::max_work, the two count as equal.
std::optional<LayoutDifference> compare_record_layouts(const Record& a, const Record& b,
                                                       std::vector<CommonMember>& common,
                                                       size_t& work);

/// Compares two ENUMs or ENUM64s: enumerators of one name must have one value. An enumerator that
/// only one of them has is allowed, and then one that counts the others (`EV_MAX`) may differ.
std::optional<LayoutDifference> compare_enum_layouts(const Record& a, const Record& b);

}  // namespace bpflink
