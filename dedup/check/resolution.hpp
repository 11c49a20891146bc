// Types without their qualifiers and typedefs, and their sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/check/findings.hpp"

namespace bpflink {

/// A type with a size, as a kernel sees it.
struct SizedType {
  uint32_t id;
  uint32_t size;  ///< bytes
};

/// Where a type stands on the way.
enum class ResolutionState : uint8_t {
  Unseen,
  Open,  ///< what it refers to is looked at
  Resolved,
  Faulty,  ///< it breaks a rule, or what it refers to does
};

struct Resolution {
  explicit Resolution(uint32_t end_id)
      : states(end_id, ResolutionState::Unseen), targets(end_id), array_sizes(end_id) {}

  /// The type with a size that a type is, if it is one. Of one that is not resolved yet nothing is
  /// known behind its qualifiers, and an array has no bytes.
  std::optional<SizedType> sized(const BtfView& types, uint32_t id) const;

  std::vector<ResolutionState> states;  ///< by type id
  std::vector<uint32_t> targets;        ///< what a qualifier, typedef, VAR or FUNC ends in
  std::vector<uint32_t> array_sizes;    ///< bytes
};

/// Whether an INT is a whole number of bytes that C has a type of.
bool is_regular_int(BtfType type);

/// Whether member `index` of a struct or union, whose type is `member`, fits into it: the rule
/// that it breaks, or nothing.
std::optional<BtfRule> check_member(BtfType record, uint32_t index, BtfType type, SizedType member);

}  // namespace bpflink
