// BTF of modules that were not built with the kernel: split from a distilled base, which represents
// the kernel's types by name.
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"

namespace bpflink {

/// A blob of the types of `split`, whose base is a distilled one, as they go on from the end of
/// `kernel`: what they refer to in the distilled base is the type that the kernel has instead.
/// Errors: the kernel has none or several for one of these; a type is of an unknown kind; those of
/// BtfBuilder::finish().
std::expected<std::vector<std::byte>, Error> relocate_base(const Btf& split, const Btf& kernel);

}  // namespace bpflink
