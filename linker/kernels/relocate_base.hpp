// BTF of modules that were not built with the kernel: split from a distilled base, which represents
// the kernel's types by name.
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "linker/kernels/kernel.hpp"

namespace bpflink {

/// A blob with the types of `split`, whose base is a distilled one, as split BTF of `kernel`:
/// references to the distilled base become references to the kernel's types. Errors: the kernel has
/// none or several for one of these; a type is of an unknown kind; those of BtfBuilder::finish().
std::expected<std::vector<std::byte>, Error> relocate_base(const Btf& split, const Kernel& kernel);

}  // namespace bpflink
