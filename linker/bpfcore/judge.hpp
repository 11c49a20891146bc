// All that is asked of a kernel by an object, in one verdict.
#pragma once

#include "linker/bpfcore/options.hpp"
#include "linker/core/core_check.hpp"
#include "linker/kernels/kernel_facts.hpp"

namespace bpflink {

/// Judges an object on a kernel, of whose types `types` is the index.
ObjectVerdict judge(const CoreObject& object, const KernelNeeds& needs, const Kernel& kernel,
                    const CoreKernel& types, const BpfcoreOptions& options);

}  // namespace bpflink
