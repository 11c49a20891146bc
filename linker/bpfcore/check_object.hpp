// The verdict on an object and a kernel: relocations and everything else that the kernel binds.
#pragma once

#include "linker/bpfcore/options.hpp"
#include "linker/core/core_check.hpp"
#include "linker/kernels/kernel_facts.hpp"

namespace bpflink {

/// Checks an object on a kernel. `types` is the index of the kernel's types.
ObjectVerdict check_object(const CoreObject& object, const KernelNeeds& needs, const Kernel& kernel,
                           const CoreKernel& types, const BpfcoreOptions& options);

}  // namespace bpflink
