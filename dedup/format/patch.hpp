// Changes to the bytes of a blob that move nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpflink/btf.hpp"

namespace bpflink {

/// The offset of each type in a blob, of which `btf` is the reading, by id, and the end.
std::vector<uint64_t> type_offsets(std::span<const std::byte> blob, const Btf& btf);

/// A copy of a blob, of which `btf` is the reading, in which types have other names, by id. The
/// strings go to the end of the blob, where there is room for more: those that are there keep their
/// offsets.
std::vector<std::byte> rename_types(std::span<const std::byte> blob, const Btf& btf,
                                    const std::unordered_map<uint32_t, std::string>& names);

/// Whether it is an integer that claims to be both signed and char: "at most one
/// encoding" (btf.rst section 2.2.1), but bpf-gcc gives `char` both, which no kernel takes.
bool needs_repair(BtfType type);

/// A copy of a blob, of which `btf` is the reading, with such integers made signed.
std::vector<std::byte> repair_btf(std::span<const std::byte> blob, const Btf& btf);

}  // namespace bpflink
