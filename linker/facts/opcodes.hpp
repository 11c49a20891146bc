// Which kernels know an instruction: one table of all opcodes.
#pragma once

#include <optional>

#include "linker/facts/insn.hpp"
#include "linker/facts/kernel_features.hpp"

namespace bpflink {

/// The feature that an instruction belongs to, if not every kernel with BTF has it.
std::optional<KernelFeature> feature_of(const Insn& insn);

/// Whether an instruction belongs to a feature that no kernel has.
bool is_in_no_kernel(const Insn& insn);

}  // namespace bpflink
