// BTF of modules that were not built with the kernel: split from a distilled base, which represents
// the kernel's types by name.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"
#include "bpflink/error.hpp"
#include "dedup/relocations/candidates.hpp"

namespace bpflink {

/// The types of `blob`, which is split from the distilled base `base_blob`, as split BTF of
/// `kernel`, whose names are `names`: references to the distilled base become references to the
/// kernel's types. Errors: a blob is malformed; the kernel has no type or several for one of the
/// distilled base; a type is of an unknown kind; those of BtfBuilder::finish().
std::expected<std::vector<std::byte>, Error> relocate_base(std::span<const std::byte> blob,
                                                           std::span<const std::byte> base_blob,
                                                           const Btf& kernel,
                                                           const NamedTypes& names);

}  // namespace bpflink
