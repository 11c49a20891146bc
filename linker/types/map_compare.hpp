// Compares definitions of one map, and finds where they first differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bpflink/btf.hpp"
#include "dedup/internal.hpp"

namespace bpflink {

/// Two definitions of a map in one BTF, and how alike they have to be.
struct MapPair {
  const BtfView& types;
  ComparePolicy
      policy;  ///< CCompatible or LibbpfCompatible, which treats 0 like an absent attribute
  uint32_t declared, defined;
  bool may_leave_out;  ///< whether `declared` is an extern, which may omit attributes
};

/// The first difference, or nothing. Unknown attributes are compared like any other.
std::optional<TypeDifference> compare_maps(const MapPair& maps, std::string_view path);

}  // namespace bpflink
