// Types without qualifiers and typedefs, and their sizes, as a kernel resolves them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/check/findings.hpp"

namespace bpflink {

/// A type with a size.
struct SizedType {
  uint32_t id;
  uint32_t size;  ///< bytes
};

/// How far a type is resolved.
enum class ResolutionState : uint8_t {
  Unseen,
  InProgress,  ///< on the stack of the walk
  Resolved,
  Faulty,  ///< it breaks a rule, or what it refers to does
};

struct ResolvedTypes {
  explicit ResolvedTypes(uint32_t end_id)
      : states(end_id, ResolutionState::Unseen), targets(end_id), array_sizes(end_id) {}

  /// A type without its qualifiers and typedefs, if it has a size. Of a type that is not resolved
  /// yet, qualifiers end in void and arrays have 0 bytes.
  std::optional<SizedType> sized(const BtfView& types, uint32_t id) const;

  std::vector<ResolutionState> states;  ///< by type id
  std::vector<uint32_t> targets;        ///< by id of a qualifier, typedef, VAR, ...: its end
  std::vector<uint32_t> array_sizes;    ///< by id of an array: bytes
};

/// Whether an INT has 8, 16, 32, 64 or 128 bits, from bit 0 on.
bool is_regular_int(BtfType type);

/// The rule that a member of a struct or union breaks, or nothing. `type` and `member` are the
/// member's type without qualifiers and typedefs.
std::optional<BtfRule> check_member(BtfType record, uint32_t index, BtfType type, SizedType member);

}  // namespace bpflink
