// What becomes of an object on a kernel.
#pragma once

#include <map>
#include <string>

#include "linker/core/core_object.hpp"
#include "linker/core/kernel.hpp"

namespace bpflink {

struct CheckOptions {
  const std::map<std::string, uint64_t>& settings;  ///< values of variables of .rodata
  bool strict = false;                              ///< the others have no known value
};

/// Binds the relocations, and looks which of those that cannot be bound are reached. `types` is the
/// index of the kernel's.
ObjectVerdict check_object(const CoreObject& object, const Kernel& kernel, const CoreKernel& types,
                           const CheckOptions& options);

}  // namespace bpflink
