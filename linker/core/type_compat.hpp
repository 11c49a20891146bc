// Whether a declaration of an object goes with what a kernel has by that name.
#pragma once

#include <cstdint>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether libbpf takes type `id` of an object for type `target_id` of a kernel: kinds agree,
/// behind modifiers, pointers, arrays and through prototypes; names, sizes, members and enumerators
/// do not count. ENUM and ENUM64 agree, two INTs unless they are of the old form that is a
/// bit-field. Types that lead to each other without end, or are nested deeper than libbpf looks, do
/// not agree.
bool types_are_compatible(const BtfView& types, uint32_t id, const BtfView& target_types,
                          uint32_t target_id);

}  // namespace bpflink
