// What some compilers write into .BTF and no kernel takes.
#pragma once

#include <span>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// Whether it is an integer that claims to be both signed and char: "at most one
/// encoding" (btf.rst section 2.2.1), but bpf-gcc gives `char` both.
bool needs_repair(BtfType type);

/// A copy of `blob`, of which `btf` is the reading, with such integers made
/// signed.
std::vector<std::byte> repair_btf(std::span<const std::byte> blob, const Btf& btf);

}  // namespace bpflink
