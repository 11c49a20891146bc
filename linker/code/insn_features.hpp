// Instructions that not all kernels have.
#pragma once

#include <optional>

#include "linker/object/insn.hpp"
#include "linker/object/kernel_features.hpp"

namespace bpflink {

/// The feature that an instruction belongs to, if not every kernel with BTF has it.
std::optional<KernelFeature> feature_of(const Insn& insn);

}  // namespace bpflink
