// What some compilers write into .BTF and no kernel takes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// A copy of `blob`, of which `btf` is the reading, with integers that claim to
/// be both signed and char made signed: "at most one encoding" (btf.rst section
/// 2.2.1), but bpf-gcc gives `char` both. Nothing where there is nothing to
/// change.
std::optional<std::vector<std::byte>> repair_btf(std::span<const std::byte> blob, const Btf& btf);

}  // namespace bpflink
