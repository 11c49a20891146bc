// From the types of one input to classes of a TypeTable.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "dedup/type_table.hpp"

namespace bpflink {

/// What stands for the class of a type that was left out.
inline constexpr uint32_t omitted_class = UINT32_MAX;

/// An input and where to put the classes of its types.
struct CanonicalizeJob {
  const Btf* btf = nullptr;
  /// Of each type of the base, by id; index 0 is void.
  std::span<const uint32_t> base_classes;
  /// Of each type from first_id() on; 0 where not known yet, `omitted_class`
  /// where the type is left out.
  std::span<uint32_t> classes;
};

/// Gives each type of the input its class. Fails if a type that stays refers to
/// one that is left out.
std::expected<void, Error> canonicalize(const CanonicalizeJob& job, TypeTable& table);

}  // namespace bpflink
