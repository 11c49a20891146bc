// Whether C lays out a type as the BPF object has it.
#pragma once

#include <cstdint>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether an object of type `id` has its size, and its members their places, in C as it is
/// declared: not where a struct or union without a name, which is written out, is packed, or
/// aligned beyond its members. What has a name is as the user defines it.
bool has_natural_layout(const BtfView& btf, uint32_t id);

}  // namespace bpflink
