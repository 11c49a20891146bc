// Checks of the words of types, and how messages name a type.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// "type [12] STRUCT 'foo'", as messages begin.
std::string describe_type(const BtfView& types, uint32_t id);
std::string describe_type(uint32_t id, BtfKind kind, std::string_view name);

/// What the walk over the types of a blob collects for check_references().
struct TypeSummary {
  uint32_t largest_id = 0;                 ///< the largest type id in any type
  uint32_t largest_string = 0;             ///< the largest string offset in any type
  std::vector<uint32_t> with_constraints;  ///< ids of the FUNCs, DATASECs and DECL_TAGs
};

/// Checks that ids and string offsets are in range, and the types referred to by FUNCs, DATASECs
/// and DECL_TAGs. The error names the first type at fault.
std::expected<void, Error> check_references(const BtfView& types, const TypeSummary& summary);

/// Whether a string begins at an offset in range that is not 0: the byte before it ends another
/// one.
bool begins_string(const BtfView& types, uint32_t offset);

}  // namespace bpflink
