// Finds a program's path, enumerator or type in a type of a kernel, and the value that is there.
//
// A path through the program's types is followed in the kernel's types by names: the step `.pid`
// leads to the member `pid`, whatever its index, also inside an anonymous struct. The type of a
// member on the path must have the same kind, but may have another size: an `int` of the program
// may be a `long` in the kernel.
#pragma once

#include <bit>
#include <optional>

#include "dedup/relocations/candidates.hpp"

namespace bpflink {

/// Why a candidate does not match.
struct CoreMismatch {
  CoreReason reason;
  bool is_error = false;  ///< the relocation fails; otherwise the next candidate is tried
  uint32_t depth = 0;     ///< how many steps were found
  uint32_t at = 0;        ///< the type in which the next step was not found
};

/// Finds the path `local` of a program in type `id` of a kernel. Without a match, `path` is what
/// was found of it.
std::optional<CoreMismatch> match_path(const CoreTypes& program, const AccessPath& local,
                                       const CoreTypes& kernel, uint32_t id, CoreEffort& effort,
                                       AccessPath& path);

/// Finds the enumerator that is the one step of `local`.
std::optional<CoreMismatch> match_enumerator(const AccessPath& local, const CoreTypes& kernel,
                                             uint32_t id, CoreEffort& effort, AccessPath& path);

/// What match_types() compares.
enum class CoreTypeTest : uint8_t {
  Exists,   ///< kinds, also behind pointers and arrays, and of parameters
  Matches,  ///< also sizes of integers, and members and enumerators by name
};

/// Compares a type of a program with one of a kernel. Returns nothing if they match.
std::optional<CoreMismatch> match_types(const BtfView& program, uint32_t program_id,
                                        const BtfView& kernel, uint32_t kernel_id,
                                        CoreTypeTest test, CoreEffort& effort);

/// Whether two names are equal without flavors. A missing name only equals a missing name.
inline bool are_essential_names_equal(std::string_view a, std::string_view b) {
  return essential_name(a) == essential_name(b) && a.empty() == b.empty();
}

/// The value of a relocation. From the program's types, it is the value that the compiler wrote
/// into the instruction; from the kernel's types, the value that the loader writes there.
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
