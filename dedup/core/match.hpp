// Whether a type of a kernel has what a program looks for, and where.
//
// A path through the program's types is followed in the kernel's types by names: the step `.pid`
// leads to the member `pid`, whatever its index, also inside an anonymous struct. The type of a
// member on the path must have the same kind, but may have another size: an `int` of the program
// may be a `long` in the kernel.
#pragma once

#include <variant>

#include "dedup/core/candidates.hpp"

namespace bpflink {

/// A search that found nothing.
struct CoreMismatch {
  CoreReason reason;
  bool is_error = false;  ///< the object cannot be loaded; else the next candidate is looked at
  uint32_t depth = 0;     ///< steps that were found
  uint32_t at = 0;        ///< the type in which the next one was not
};

template <typename Found>
using CoreMatch = std::variant<Found, CoreMismatch>;

/// Follows `local`, a path through the types of a program, from type `id` of a kernel on.
CoreMatch<AccessPath> match_path(const CoreTypes& program, const AccessPath& local,
                                 const CoreTypes& kernel, uint32_t id, CoreEffort& effort);

/// Looks for the enumerator that is the one step of `local`.
CoreMatch<AccessPath> match_enumerator(const AccessPath& local, const CoreTypes& kernel,
                                       uint32_t id);

/// How much of two types has to agree.
enum class CoreLikeness : uint8_t {
  Exists,   ///< their kinds, through pointers and arrays, and parameters of functions
  Matches,  ///< sizes of numbers, members and enumerators by name, too
};

/// Compares a type of a program with one of a kernel. Nothing: they are alike.
std::optional<CoreMismatch> match_types(const BtfView& program, uint32_t program_id,
                                        const BtfView& kernel, uint32_t kernel_id,
                                        CoreLikeness likeness, CoreEffort& effort);

/// Whether names are the same but for flavors; none is the same as none.
inline bool are_names_like(std::string_view a, std::string_view b) {
  return essential_name(a) == essential_name(b) && a.empty() == b.empty();
}

}  // namespace bpflink
