// Whether two definitions have the same layout.
//
// Two structs or unions agree if members of one name have the same offset and width, and every
// member that only one of them has is padding, or is at a place where the other has a member of
// another name. Members of anonymous structs and unions count as members of the outer struct. Types
// of members do not count: a pointer and a number of the same width agree.
//
// Definitions that hide their contents, by having no members or one array of integers, agree with
// any that fits. Arrays without a length at the end agree with any.
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
  uint64_t bit_offset;  ///< in that where it comes first
  uint32_t a, b;        ///< their types
};

/// The first difference in the order of bytes.
struct LayoutDifference {
  std::string member;  ///< ".a.b"; "" for the whole
  uint64_t bit_offset = 0;
  DifferenceSide a, b;
};

/// A struct or union of some types.
struct Record {
  const BtfView& types;
  uint32_t id;
};

/// Compares two, and adds to `common` what both have. Counts members in `work`; if that gets beyond
/// TypeComparison::most_work, they count as alike.
std::optional<LayoutDifference> compare_record_layouts(const Record& a, const Record& b,
                                                       std::vector<CommonMember>& common,
                                                       size_t& work);

/// The same of two ENUMs or ENUM64s: enumerators of one name have one value. One that only one of
/// them has is none of the other's business, and those that count the others may move for it.
std::optional<LayoutDifference> compare_enum_layouts(const Record& a, const Record& b);

}  // namespace bpflink
