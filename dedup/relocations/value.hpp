// Computes the value of a relocation. From the program's types, it is the value that the compiler
// wrote into the instruction; from the kernel's types, the value that the loader writes there.
#pragma once

#include <bit>

#include "dedup/relocations/access.hpp"

namespace bpflink {

/// The value of a relocation.
struct CoreAnswer {
  uint64_t value = 0;
  /// The size in bytes and the type of a member or element that is loaded or stored. 0 for
  /// bit-fields and for other kinds of relocations.
  uint32_t size = 0, type_id = 0;
  /// Whether compilers and loaders always compute the same value.
  bool is_definite = true;
};

/// The value for a path, or for kinds about types, for type `id`. Errors: there is no value.
std::expected<CoreAnswer, CoreReason> answer(const CoreTypes& types, std::endian order,
                                             CoreKind kind, uint32_t id, const AccessPath& path);

/// Whether a type is a signed integer or enum.
bool is_signed_type(const BtfView& types, uint32_t id);

}  // namespace bpflink
