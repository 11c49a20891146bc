// Whether C lays out a type like the BPF object.
#pragma once

#include <cstdint>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether the C declaration of type `id` gives it the same size and member offsets. It does not if
/// an unnamed struct or union, which the declaration spells out, is packed or over-aligned, or if
/// it or what it contains is empty, which C++ lays out differently. A named one is defined by the
/// user.
bool has_natural_layout(const BtfView& btf, uint32_t id);

}  // namespace bpflink
