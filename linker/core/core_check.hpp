// What becomes of an object's relocations on a kernel.
#pragma once

#include <vector>

#include "linker/core/core_object.hpp"

namespace bpflink {

/// Binds the relocations, and looks which of those that cannot be bound are reached. By
/// `object.summary.records`.
std::vector<RelocationVerdict> check_relocations(const CoreObject& object, const CoreKernel& kernel,
                                                 const CoreFacts& facts);

/// Keeps what the relocations need.
void keep_needed(const CoreObject& object, const CoreKernel& kernel, CoreMinimizer& minimizer);

}  // namespace bpflink
