// The value that a relocation asks for, on one side: from the program's types, it is what the
// compiler put into the instruction; from the kernel's types, it is what the loader puts there.
#pragma once

#include <bit>

#include "dedup/core/access.hpp"

namespace bpflink {

struct CoreAnswer {
  uint64_t value = 0;
  /// Of a member or element that is loaded or stored: its bytes and type; 0 for bit-fields, and
  /// for other questions.
  uint32_t size = 0, type_id = 0;
  /// Whether compilers and loaders compute it alike.
  bool is_definite = true;
};

/// The answer for a path; of kinds about types, for type `id`. Errors: there is none.
std::expected<CoreAnswer, CoreReason> answer(const CoreTypes& types, std::endian order,
                                             CoreKind kind, uint32_t id, const AccessPath& path);

/// Whether it is an integer or enum with negative values.
bool is_signed_type(const BtfView& types, uint32_t id);

}  // namespace bpflink
